"""What a captured inventory keeps of each kind, field by field, and what stands in each field.

Only what is named here is kept: whatever decides no placement (images, environment, commands, secrets' names,
annotations, addresses, times of heartbeats) is not listed, so no release of Kubernetes can add something that slips
through.
"""

from __future__ import annotations

from collections.abc import Mapping

from kubelint_gpu.inventory.capture.roles import Role, Shape

REQUIREMENT_FIELDS = ("key", "operator", "value", "values", "effect", "tolerationSeconds")
# annotations that decide something, of any kind
ANNOTATIONS = frozenset(
    {
        "controller.kubernetes.io/pod-deletion-cost",
        "kubelint-gpu/one-per-container",
        "kubelint-gpu/pool",
        "kubelint-gpu/unhealthy",
        "kubelint-gpu/unlimited",
        "pv.kubernetes.io/bind-completed",
        "resource.kubernetes.io/extended-resource-claim",
        "storage.alpha.kubernetes.io/migrated-plugins",
        "storageclass.kubernetes.io/is-default-class",
        "volume.beta.kubernetes.io/storage-class",
        "volume.kubernetes.io/selected-node",
    }
)
# labels that change without anybody's doing
NOISE = frozenset({"nvidia.com/gfd.timestamp"})

_PLAIN, _NAME = Role.PLAIN, Role.NAME
_META: Mapping[str, Shape] = {"name": _NAME, "namespace": _NAME, "labels": Role.LABELS, "annotations": _PLAIN}
_SELECTOR: Shape = {"matchLabels": Role.LABELS, "matchExpressions": Role.REQUIREMENT}
_NODE_TERM: Shape = {"matchExpressions": Role.REQUIREMENT, "matchFields": Role.REQUIREMENT}
_NODE_SELECTOR: Shape = {"nodeSelectorTerms": _NODE_TERM}
_POD_TERM: Shape = {
    "labelSelector": _SELECTOR,
    "matchLabelKeys": Role.KEY,
    "mismatchLabelKeys": Role.KEY,
    "namespaceSelector": _SELECTOR,
    "namespaces": _NAME,
    "topologyKey": Role.KEY,
}
_POD_AFFINITY: Shape = {
    "preferredDuringSchedulingIgnoredDuringExecution": {"podAffinityTerm": _POD_TERM, "weight": _PLAIN},
    "requiredDuringSchedulingIgnoredDuringExecution": _POD_TERM,
}
_RESOURCES: Shape = {"claims": {"name": _NAME, "request": _NAME}, "limits": Role.AMOUNTS, "requests": Role.AMOUNTS}
_CONTAINER: Shape = {
    "name": _NAME,
    "ports": {"containerPort": _PLAIN, "hostIP": _PLAIN, "hostPort": _PLAIN, "protocol": _PLAIN},
    "resources": _RESOURCES,
    "restartPolicy": _PLAIN,
}
_CLAIM: Mapping[str, Shape] = {
    "accessModes": _PLAIN,
    "resources": {"requests": Role.AMOUNTS},
    "selector": _SELECTOR,
    "storageClassName": _NAME,
    "volumeAttributesClassName": _NAME,
    "volumeMode": _PLAIN,
    "volumeName": _NAME,
}
# volumes of a pod by their field; others are mounted wherever the pod runs
VOLUMES: Mapping[str, Shape] = {
    "awsElasticBlockStore": {"readOnly": _PLAIN, "volumeID": _NAME},
    "azureDisk": {"diskURI": _NAME},
    "cinder": {"volumeID": _NAME},
    "csi": {"driver": _PLAIN},
    "ephemeral": {"volumeClaimTemplate": {"spec": _CLAIM}},
    "gcePersistentDisk": {"pdName": _NAME, "readOnly": _PLAIN},
    "iscsi": {"iqn": _NAME, "readOnly": _PLAIN},
    "persistentVolumeClaim": {"claimName": _NAME},
    "rbd": {"image": _NAME, "monitors": _NAME, "pool": _NAME, "readOnly": _PLAIN},
}
# sources of a PersistentVolume; of others only the kind is kept
SOURCES: Mapping[str, Shape] = {
    "awsElasticBlockStore": {"volumeID": _NAME},
    "azureDisk": {"diskURI": _NAME},
    "cinder": {"volumeID": _NAME},
    "csi": {"driver": _PLAIN, "volumeHandle": _NAME},
    "gcePersistentDisk": {"pdName": _NAME},
}
_SPREAD: Shape = {
    "labelSelector": _SELECTOR,
    "matchLabelKeys": Role.KEY,
    "maxSkew": _PLAIN,
    "minDomains": _PLAIN,
    "nodeAffinityPolicy": _PLAIN,
    "nodeTaintsPolicy": _PLAIN,
    "topologyKey": Role.KEY,
    "whenUnsatisfiable": _PLAIN,
}
_POD_SPEC: Shape = {
    "activeDeadlineSeconds": _PLAIN,
    "affinity": {
        "nodeAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": {"preference": _NODE_TERM, "weight": _PLAIN},
            "requiredDuringSchedulingIgnoredDuringExecution": _NODE_SELECTOR,
        },
        "podAffinity": _POD_AFFINITY,
        "podAntiAffinity": _POD_AFFINITY,
    },
    "containers": _CONTAINER,
    "hostNetwork": _PLAIN,
    "initContainers": _CONTAINER,
    "nodeName": _NAME,
    "nodeSelector": Role.LABELS,
    "overhead": Role.AMOUNTS,
    "preemptionPolicy": _PLAIN,
    "priority": _PLAIN,
    "priorityClassName": _NAME,
    "resourceClaims": {"name": _NAME, "resourceClaimName": _NAME, "resourceClaimTemplateName": _NAME},
    "resources": _RESOURCES,
    "restartPolicy": _PLAIN,
    "runtimeClassName": _NAME,
    "schedulerName": _NAME,
    "schedulingGates": _PLAIN,
    "terminationGracePeriodSeconds": _PLAIN,
    "tolerations": Role.REQUIREMENT,
    "topologySpreadConstraints": _SPREAD,
    "volumes": {"name": _NAME, **VOLUMES},
}
_STATUSES: Shape = {"allocatedResources": Role.AMOUNTS, "name": _NAME, "resources": _RESOURCES}
_ALLOCATED: Shape = {
    "adminAccess": _PLAIN,
    "bindingConditions": _PLAIN,
    "bindingFailureConditions": _PLAIN,
    "consumedCapacity": _PLAIN,
    "device": _NAME,
    "driver": _PLAIN,
    "pool": _NAME,
    "request": _NAME,
    "shareID": _NAME,
}
_OWNERS: Shape = {"apiVersion": _PLAIN, "controller": _PLAIN, "kind": _PLAIN, "name": _NAME}
_SELECTORS: Shape = {"cel": {"expression": Role.EXPRESSION}}
_REQUEST: Mapping[str, Shape] = {
    "adminAccess": _PLAIN,
    "allocationMode": _PLAIN,
    "capacity": {"requests": _PLAIN},
    "count": _PLAIN,
    "deviceClassName": _PLAIN,
    "name": _NAME,
    "selectors": _SELECTORS,
    "tolerations": Role.REQUIREMENT,
}
# the configuration for a driver is left out: it is whatever the driver wants, passwords too
_REQUESTED: Shape = {
    "constraints": {"distinctAttribute": _PLAIN, "matchAttribute": _PLAIN, "requests": _NAME},
    "requests": {**_REQUEST, "exactly": _REQUEST, "firstAvailable": _REQUEST},
}
_DEVICE: Mapping[str, Shape] = {
    "allNodes": _PLAIN,
    "allowMultipleAllocations": _PLAIN,
    "attributes": Role.ATTRIBUTES,
    "bindingConditions": _PLAIN,
    "bindingFailureConditions": _PLAIN,
    "bindsToNode": _PLAIN,
    "capacity": _PLAIN,
    "consumesCounters": {"counterSet": _NAME, "counters": _PLAIN},
    "name": _NAME,
    "nodeName": _NAME,
    "nodeSelector": _NODE_SELECTOR,
    "taints": Role.REQUIREMENT,
}

SHAPES: Mapping[str, Mapping[str, Shape]] = {
    "CSIDriver": {"metadata": {"name": _PLAIN}, "spec": {"storageCapacity": _PLAIN}},
    "CSINode": {
        "metadata": {"name": _NAME, "annotations": _PLAIN},
        "spec": {"drivers": {"allocatable": _PLAIN, "name": _PLAIN}},
    },
    "CSIStorageCapacity": {
        "capacity": _PLAIN,
        "maximumVolumeSize": _PLAIN,
        "metadata": {"name": _NAME, "namespace": _NAME},
        "nodeTopology": _SELECTOR,
        "storageClassName": _NAME,
    },
    "DeviceClass": {
        "metadata": {"creationTimestamp": _PLAIN, "name": _PLAIN},
        "spec": {"extendedResourceName": _PLAIN, "selectors": _SELECTORS},
    },
    "LimitRange": {
        "metadata": _META,
        "spec": {
            "limits": {
                "default": Role.AMOUNTS,
                "defaultRequest": Role.AMOUNTS,
                "max": Role.AMOUNTS,
                "maxLimitRequestRatio": Role.AMOUNTS,
                "min": Role.AMOUNTS,
                "type": _PLAIN,
            }
        },
    },
    "Namespace": {"metadata": _META},
    "Node": {
        "metadata": _META,
        "spec": {"taints": Role.REQUIREMENT, "unschedulable": _PLAIN},
        "status": {"allocatable": Role.AMOUNTS, "capacity": Role.AMOUNTS, "nodeInfo": {"kubeletVersion": _PLAIN}},
    },
    "PersistentVolume": {
        "metadata": {**_META, "uid": _NAME},
        "spec": {
            "accessModes": _PLAIN,
            "capacity": Role.AMOUNTS,
            "claimRef": {"name": _NAME, "namespace": _NAME, "uid": _NAME},
            "nodeAffinity": {"required": _NODE_SELECTOR},
            "storageClassName": _NAME,
            "volumeAttributesClassName": _NAME,
            "volumeMode": _PLAIN,
        },
        "status": {"phase": _PLAIN},
    },
    "PersistentVolumeClaim": {"metadata": {**_META, "uid": _NAME}, "spec": _CLAIM, "status": {"phase": _PLAIN}},
    "Pod": {
        "metadata": {**_META, "creationTimestamp": _PLAIN, "deletionTimestamp": _PLAIN, "ownerReferences": _OWNERS},
        "spec": _POD_SPEC,
        "status": {
            "conditions": {"reason": _PLAIN, "status": _PLAIN, "type": _PLAIN},
            "containerStatuses": _STATUSES,
            "initContainerStatuses": _STATUSES,
            "nominatedNodeName": _NAME,
            "phase": _PLAIN,
            "resize": _PLAIN,
            "resourceClaimStatuses": {"name": _NAME, "resourceClaimName": _NAME},
            "startTime": _PLAIN,
        },
    },
    "PodDisruptionBudget": {
        "metadata": _META,
        "spec": {
            "maxUnavailable": _PLAIN,
            "minAvailable": _PLAIN,
            "selector": _SELECTOR,
            "unhealthyPodEvictionPolicy": _PLAIN,
        },
        "status": {"disruptionsAllowed": _PLAIN},
    },
    "PriorityClass": {
        "globalDefault": _PLAIN,
        "metadata": {"name": _NAME},
        "preemptionPolicy": _PLAIN,
        "value": _PLAIN,
    },
    "ResourceClaim": {
        "metadata": {**_META, "uid": _NAME, "deletionTimestamp": _PLAIN, "ownerReferences": _OWNERS},
        "spec": {"devices": _REQUESTED},
        "status": {
            "allocation": {"devices": {"results": _ALLOCATED}, "nodeSelector": _NODE_SELECTOR},
            "reservedFor": {"name": _NAME, "resource": _PLAIN},
        },
    },
    "ResourceClaimTemplate": {"metadata": {**_META, "uid": _NAME}, "spec": {"spec": {"devices": _REQUESTED}}},
    "ResourceQuota": {
        "metadata": _META,
        "spec": {
            "hard": Role.AMOUNTS,
            "scopes": _PLAIN,
            "scopeSelector": {"matchExpressions": {"operator": _PLAIN, "scopeName": _PLAIN, "values": _NAME}},
        },
        "status": {"used": Role.AMOUNTS},
    },
    "ResourceSlice": {
        "metadata": {"name": _NAME},
        "spec": {
            "allNodes": _PLAIN,
            "devices": {**_DEVICE, "basic": _DEVICE},
            "driver": _PLAIN,
            "nodeName": _NAME,
            "nodeSelector": _NODE_SELECTOR,
            "perDeviceNodeSelection": _PLAIN,
            "pool": {"generation": _PLAIN, "name": _NAME, "resourceSliceCount": _PLAIN},
            "sharedCounters": {"counters": _PLAIN, "name": _NAME},
        },
    },
    "RuntimeClass": {
        "handler": _PLAIN,
        "metadata": {"name": _NAME},
        "overhead": {"podFixed": Role.AMOUNTS},
        "scheduling": {"nodeSelector": Role.LABELS, "tolerations": Role.REQUIREMENT},
    },
    "StorageClass": {
        "allowedTopologies": {"matchLabelExpressions": Role.REQUIREMENT},
        "metadata": {"name": _NAME, "annotations": _PLAIN},
        "provisioner": _PLAIN,
        "volumeBindingMode": _PLAIN,
    },
    "VolumeAttachment": {
        "metadata": {"name": _NAME},
        "spec": {"attacher": _PLAIN, "nodeName": _NAME, "source": {"persistentVolumeName": _NAME}},
    },
}
