"""API objects for the tests of single plugins, in as few words as possible."""

from __future__ import annotations

from kubelint_gpu.scheduler import Snapshot, fit, read_cluster, read_pod

ZONE = "topology.kubernetes.io/zone"
HOST = "kubernetes.io/hostname"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def node(name, zone=None, *, labels=None, host=True, **spec):
    found = dict(labels or {})
    if host:
        found[HOST] = name
    if zone is not None:
        found[ZONE] = zone
    return {
        "kind": "Node",
        "metadata": {"name": name, "labels": found},
        "spec": spec,
        "status": {"allocatable": {"cpu": "64", "memory": "64Gi", "pods": "110"}},
    }


def pod(name="incoming", on=None, *, labels=None, namespace="default", meta=None, uid=None, **spec):
    if on is not None:
        spec["nodeName"] = on
    metadata = {"name": name, "namespace": namespace, "labels": labels or {}, "uid": uid or name, **(meta or {})}
    return {
        "kind": "Pod",
        "metadata": metadata,
        "spec": {"containers": [{"name": "main"}], **spec},
        "status": {"phase": "Running" if on else "Pending"},
    }


def namespace(name, **labels):
    return {"kind": "Namespace", "metadata": {"name": name, "labels": labels}}


def claim(
    name, *, bound=None, namespace="default", mode="ReadWriteOnce", request="10Gi", meta=None, status=None, **spec
):
    metadata = {"name": name, "namespace": namespace, "uid": name, "annotations": {}, **(meta or {})}
    if bound is not None:
        spec["volumeName"] = bound
        metadata["annotations"] = {"pv.kubernetes.io/bind-completed": "yes", **metadata["annotations"]}
    if request is not None:
        spec["resources"] = {"requests": {"storage": request}}
    return {
        "kind": "PersistentVolumeClaim",
        "metadata": metadata,
        "spec": {"accessModes": [mode], **spec},
        "status": {"phase": status or ("Bound" if bound else "Pending")},
    }


def volume(
    name, *, size="10Gi", on=None, key=HOST, labels=None, phase="Available", mode="ReadWriteOnce", meta=None, **spec
):
    if on is not None:
        expression = {"key": key, "operator": "In", "values": on}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [expression]}]}}
    return {
        "kind": "PersistentVolume",
        "metadata": {"name": name, "labels": labels or {}, **(meta or {})},
        "spec": {"capacity": {"storage": size}, "accessModes": [mode], **spec},
        "status": {"phase": phase},
    }


def storage_class(name, provisioner="csi.example", *, wait=True, **fields):
    mode = "WaitForFirstConsumer" if wait else "Immediate"
    return {
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": provisioner,
        "volumeBindingMode": mode,
        **fields,
    }


def uses(*claims):
    return [{"name": f"v{number}", "persistentVolumeClaim": {"claimName": name}} for number, name in enumerate(claims)]


def snapshot(*objects, version="1.34"):
    return Snapshot.of(read_cluster(objects, version=version))


def verdicts(incoming, *objects, version="1.34", plugin=None):
    """What each node answers: None, or code and reasons; the text of a PreFilter that rejects.

    The answer must not depend on whether equal nodes are judged once.
    """
    found = [_verdicts(incoming, objects, version, by_class) for by_class in (False, True)]
    assert found[0] == found[1]
    answers, plugins = found[0]
    if plugin is not None:
        assert plugins <= {plugin}
    return answers


def _verdicts(incoming, objects, version, by_class):
    seen = snapshot(*objects, version=version)
    result = fit(read_pod(incoming), seen, by_class=by_class)
    if result.prefilter is not None:
        return ", ".join(result.prefilter.reasons), {result.prefilter.plugin}
    answers = dict.fromkeys(result.fits)
    for name, status in result.rejections.items():
        answers[name] = (status.code.value, *status.reasons)
    return dict(sorted(answers.items())), {status.plugin for status in result.rejections.values()}
