"""Rollouts whose pods have claims: one function for each thing about devices that new and old pods can compete for."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.api_client import Object
from conformance.device_objects import (
    DRIVER,
    claim,
    claim_spec,
    claim_template,
    device,
    device_class,
    devices,
    first_available,
    query,
    request,
    resource_slice,
    using,
)
from conformance.objects import SECOND, deployment, job, node, workload
from conformance.rollout_case import Case, merged

Strategy = dict[str, int | str]
Objects = tuple[Object, ...]
_SAFE: Strategy = {"maxSurge": 0, "maxUnavailable": 1}
_STRATEGIES: tuple[tuple[str, Strategy], ...] = (("default", {}), ("safe", _SAFE), ("recreate", {"type": "Recreate"}))
_OWN = using("gpu")
_H100 = f'device.attributes["{DRIVER}"].model == "H100"'
_SERVED = "example.com/gpu"


def device_rollouts() -> Iterator[Case]:
    """Every case."""
    families = (
        _templates, _shared, _shared_elsewhere, _controllers, _alternatives, _constraints, _changed, _new_objects,
        _network, _extended, _partitions, _tainted, _administered, _quotas,
    )  # fmt: skip
    for family in families:
        yield from family()


def _case(name: str, inventory: tuple[Object, ...], *old: Object, new: tuple[Object, ...] = ()) -> Case:
    """A case with the class; without `new` every workload gets another template."""
    return Case(f"device-{name}", (*inventory, device_class()), old, new or tuple(merged(each, SECOND) for each in old))


def _machine(name: str, count: int, *, cpu: str = "8", **more: object) -> tuple[Object, ...]:
    """A node and its slice."""
    return node(name, 0, cpu=cpu), resource_slice(name, devices(count, **more))


def _template(old: Object, spec: Object) -> Object:
    found: Object = merged(merged(old, SECOND), {"spec": {"template": {"spec": spec}}})
    return found


def _templates() -> Iterator[Case]:
    for replicas in (1, 2, 3):
        for spare in (0, 1):
            for label, strategy in _STRATEGIES:
                inventory: Objects = (*_machine("n1", replicas + spare), claim_template())
                yield _case(
                    f"own-{replicas}-spare{spare}-{label}", inventory, deployment("web", replicas, _OWN, **strategy)
                )
    two = (*_machine("n1", 1), *_machine("n2", 2), claim_template())
    yield _case("own-two-nodes", two, deployment("web", 2, _OWN))
    yield _case("own-two-nodes-full", two, deployment("web", 3, _OWN))
    pair = claim_template("gpu", claim_spec(request(count=2)))
    yield _case("own-pair-fragmented", (*_machine("n1", 3), *_machine("n2", 1), pair), deployment("web", 1, _OWN))
    yield _case(
        "own-all", (*_machine("n1", 2), claim_template("gpu", claim_spec(request(count=0)))), deployment("web", 1, _OWN)
    )
    selective = (deployment("picky", 1, using("picky")), deployment("web", 1, _OWN, **_SAFE))
    mixed = resource_slice("n1", [device("gpu-0", "H100"), device("gpu-1"), device("gpu-2")])
    picky = claim_template("picky", claim_spec(request("gpu", 1, _H100)))
    yield _case("own-picky-beside", (node("n1", 0), mixed, claim_template(), picky), *selective)


def _shared() -> Iterator[Case]:
    spec = using("pool", template=False)
    for replicas in (1, 2, 6, 9):
        for label, strategy in (("default", {}), ("safe", _SAFE)):
            inventory: Objects = (*_machine("n1", 1, cpu="16"), claim("pool"))
            yield _case(f"shared-{replicas}-{label}", inventory, deployment("web", replicas, spec, **strategy))
    costly = merged(spec, {})
    costly["containers"][0]["resources"]["requests"] = {"cpu": "2"}
    for replicas in (2, 4, 6):
        inventory = (
            *_machine("n1", 1, cpu=str(2 * replicas)),
            *_machine("n2", 1, cpu=str(2 * replicas)),
            claim("pool"),
        )
        yield _case(
            f"shared-cpu-full-{replicas}", inventory, deployment("web", replicas, costly, maxSurge=1, maxUnavailable=0)
        )
        yield _case(
            f"shared-cpu-room-{replicas}",
            inventory,
            deployment("web", replicas - 1, costly, maxSurge=1, maxUnavailable=0),
        )
    both = using("pool", template=False)
    other = using("gpu")
    both["resourceClaims"] += other["resourceClaims"]
    both["containers"][0]["resources"]["claims"] += other["containers"][0]["resources"]["claims"]
    for spare in (0, 1):
        inventory = (*_machine("n1", 3 + spare), *_machine("n2", 3), claim("pool"), claim_template())
        yield _case(f"shared-and-own-spare{spare}", inventory, deployment("web", 2, both, maxSurge=1, maxUnavailable=0))
    yield _case(
        "shared-by-two", (*_machine("n1", 1), claim("pool")), deployment("web", 2, spec), deployment("api", 1, spec)
    )


def _shared_elsewhere() -> Iterator[Case]:
    """Claims whose devices bring the pods where something else keeps them off."""
    spec = using("pool", template=False)
    term = {"labelSelector": {"matchLabels": {"app": "web"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"affinity": {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}}
    inventory: Objects = (*_machine("n1", 1), *_machine("n2", 1), claim("pool"))
    for label, strategy in (("default", {}), ("safe", _SAFE)):
        yield _case(f"shared-apart-{label}", inventory, deployment("web", 1, {**spec, **apart}, **strategy))
        old = deployment("web", 1, {**spec, "nodeSelector": {"kubernetes.io/hostname": "n1"}}, **strategy)
        moved = _template(old, {"nodeSelector": {"kubernetes.io/hostname": "n2"}})
        yield _case(f"shared-moved-{label}", inventory, old, new=(moved,))
    port = merged(spec, {})
    port["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    yield _case("shared-port", inventory, deployment("web", 1, port))


def _controllers() -> Iterator[Case]:
    for replicas in (1, 2):
        for spare in (0, 1):
            inventory: Objects = (*_machine("n1", replicas + spare), claim_template())
            for policy in ("OrderedReady", "Parallel"):
                more = {"replicas": replicas, "serviceName": "db", "podManagementPolicy": policy}
                old = workload("StatefulSet", "db", more, _OWN)
                yield _case(f"stateful-set-{policy.lower()}-{replicas}-spare{spare}", inventory, old)
    more = {"replicas": 2, "serviceName": "db"}
    old = workload("StatefulSet", "db", more, _OWN)
    pair = claim_template("pair", claim_spec(request(count=2)))
    for count in (2, 3, 4):
        yield _case(
            f"stateful-set-bigger-{count}",
            (*_machine("n1", count), claim_template(), pair),
            old,
            new=(_template(old, using("pair")),),
        )
    yield _case(
        "stateful-set-shared",
        (*_machine("n1", 1), claim("pool")),
        workload("StatefulSet", "db", more, using("pool", template=False)),
    )
    for count in (1, 2):
        for label, rolling in (("surge", {"maxSurge": 1, "maxUnavailable": 0}), ("one", {"maxUnavailable": 1})):
            old = workload("DaemonSet", "agent", {"updateStrategy": {"rollingUpdate": rolling}}, _OWN)
            yield _case(
                f"daemon-set-{label}-{count}", (*_machine("n1", count), *_machine("n2", 2), claim_template()), old
            )
    batch = job("batch", 1, _OWN)
    web = deployment("web", 1, _OWN)
    for count in (1, 2):
        yield _case(
            f"job-beside-{count}",
            (*_machine("n1", count), claim_template()),
            web,
            new=(batch, merged(web, SECOND)),
        )


def _alternatives() -> Iterator[Case]:
    better = first_available("gpu", good=query(1, _H100), other=query(1))
    several = first_available("gpu", two=query(2), one=query(1))
    unknown = first_available("gpu", none=query(1, of="gpu"), never=query(1, 'device.driver == "other.example.com"'))
    mixed = resource_slice("n1", [device("gpu-0", "H100"), device("gpu-1", "A100")])
    for replicas in (1, 2):
        inventory: Objects = (node("n1", 0), mixed, claim_template("gpu", claim_spec(better)))
        yield _case(f"alternatives-model-{replicas}", inventory, deployment("web", replicas, _OWN))
        for count in (2, 3, 4):
            found = (*_machine("n1", count), claim_template("gpu", claim_spec(several)))
            yield _case(f"alternatives-count-{replicas}-of-{count}", found, deployment("web", replicas, _OWN))
    yield _case(
        "alternatives-last-never",
        (*_machine("n1", 1), claim_template("gpu", claim_spec(unknown))),
        deployment("web", 1, _OWN),
    )


def _constraints() -> Iterator[Case]:
    pair = claim_spec(request("a"), request("b"), matchAttribute=(f"{DRIVER}/numa",))
    for label, numas in (("full", (0, 0)), ("odd", (0, 0, 1, 0)), ("split", (0, 0, 1, 0, 1)), ("room", (0, 1, 0, 1))):
        found = [device(f"gpu-{number}", numa=numa) for number, numa in enumerate(numas)]
        inventory: Objects = (node("n1", 0), resource_slice("n1", found), claim_template("gpu", pair))
        yield _case(f"constraint-numa-{label}", inventory, deployment("web", 1, _OWN))


def _changed() -> Iterator[Case]:
    web = deployment("web", 1, _OWN)
    for count in (1, 2, 3):
        pair = claim_template("pair", claim_spec(request(count=2)))
        inventory: Objects = (*_machine("n1", count), claim_template(), pair)
        for label, strategy in _STRATEGIES:
            old = deployment("web", 1, _OWN, **strategy)
            yield _case(f"bigger-{count}-{label}", inventory, old, new=(_template(old, using("pair")),))
    for label, other in (("h100", _H100), ("missing", f'device.attributes["{DRIVER}"].absent == 1')):
        chosen = claim_template("chosen", claim_spec(request("gpu", 1, other)))
        yield _case(
            f"changed-{label}",
            (*_machine("n1", 2), claim_template(), chosen),
            web,
            new=(_template(web, using("chosen")),),
        )
    for name in ("absent", "gpu"):
        unknown = claim_template("chosen", claim_spec(request("gpu", 1, of=name)))
        yield _case(
            f"changed-class-{name}",
            (*_machine("n1", 2), claim_template(), unknown),
            web,
            new=(_template(web, using("chosen")),),
        )
    yield _case(
        "changed-no-template", (*_machine("n1", 2), claim_template()), web, new=(_template(web, using("absent")),)
    )
    yield _case(
        "changed-no-claim",
        (*_machine("n1", 2), claim_template()),
        web,
        new=(_template(web, using("absent", template=False)),),
    )
    many = claim_template("chosen", claim_spec(request("gpu", 33)))
    yield _case(
        "changed-too-many", (*_machine("n1", 40), claim_template(), many), web, new=(_template(web, using("chosen")),)
    )


def _new_objects() -> Iterator[Case]:
    """What is applied brings the claim or the template that it names."""
    web = deployment("web", 1, _OWN)
    for count in (1, 2):
        inventory: Objects = (*_machine("n1", count), claim_template())
        named = _template(web, using("fresh", template=False))
        yield _case(f"brings-claim-{count}", inventory, web, new=(claim("fresh"), named))
        own = _template(web, using("fresh"))
        yield _case(f"brings-template-{count}", inventory, web, new=(claim_template("fresh"), own))
    shared = deployment("web", 2, using("pool", template=False))
    for count in (1, 2):
        moved = _template(shared, using("fresh", template=False))
        yield _case(
            f"brings-other-claim-{count}", (*_machine("n1", count), claim("pool")), shared, new=(claim("fresh"), moved)
        )


def _network() -> Iterator[Case]:
    zone = {"nodeSelectorTerms": [{"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}]}
    nodes = (node("n1", 0, {"zone": "a"}), node("n2", 0, {"zone": "a"}), node("n3", 0, {"zone": "b"}))
    for count in (2, 3):
        for label, place in (("zone", {"nodeSelector": zone}), ("all", {"allNodes": True})):
            inventory: Objects = (*nodes, resource_slice("fabric", devices(count), **place))
            yield _case(f"network-{label}-{count}", (*inventory, claim_template()), deployment("web", 2, _OWN))
    inventory = (*nodes, resource_slice("fabric", devices(1), nodeSelector=zone), claim("pool"))
    yield _case("network-shared", inventory, deployment("web", 4, using("pool", template=False)))
    away = deployment("web", 1, {**_OWN, "nodeSelector": {"zone": "a"}}, **_SAFE)
    moved = _template(away, {"nodeSelector": {"zone": "b"}})
    yield _case(
        "network-moved",
        (*nodes, resource_slice("fabric", devices(1), nodeSelector=zone), claim_template()),
        away,
        new=(moved,),
    )


def _extended() -> Iterator[Case]:
    """From 1.36 on a DeviceClass serves an extended resource."""
    served = device_class("served", extendedResourceName=_SERVED)
    spec: Object = {
        "containers": [{"name": "main", "image": "registry.invalid/main:1", "resources": {"limits": {_SERVED: "1"}}}],
        "terminationGracePeriodSeconds": 30,
    }
    for replicas in (1, 2):
        for spare in (0, 1):
            for label, strategy in (("default", {}), ("safe", _SAFE)):
                old = deployment("web", replicas, spec, **strategy)
                yield _case(
                    f"extended-{replicas}-spare{spare}-{label}", (*_machine("n1", replicas + spare), served), old
                )
    plugin = node("n2", 0)
    plugin["status"]["allocatable"][_SERVED] = plugin["status"]["capacity"][_SERVED] = "1"
    yield _case("extended-beside-plugin", (*_machine("n1", 1), plugin, served), deployment("web", 2, spec))
    yield _case("extended-beside-plugin-room", (*_machine("n1", 2), plugin, served), deployment("web", 2, spec))
    mixed = (*_machine("n1", 2), served, claim_template())
    yield _case("extended-beside-claim", mixed, deployment("web", 1, spec), deployment("own", 1, _OWN, **_SAFE))
    old = deployment("web", 1, spec)
    twice = merged(spec, {})
    twice["containers"][0]["resources"]["limits"] = {_SERVED: "2"}
    yield _case("extended-bigger", (*_machine("n1", 2), served), old, new=(_template(old, twice),))
    yield _case("extended-to-claim", (*_machine("n1", 1), served, claim_template()), old, new=(_template(old, _OWN),))


def _partitions() -> Iterator[Case]:
    """From 1.36 on partitions exclude each other by counters."""
    counter = {"name": "gpu-0", "counters": {"memory": {"value": "40Gi"}}}

    def part(name: str, memory: str) -> Object:
        taken = [{"counterSet": "gpu-0", "counters": {"memory": {"value": memory}}}]
        return device(
            name, memory=memory, consumesCounters=taken, attributes={"part": {"string": name.partition("-")[0]}}
        )

    found = [
        part("whole-0", "40Gi"),
        part("half-0", "20Gi"),
        part("half-1", "20Gi"),
        *(part(f"third-{n}", "13Gi") for n in range(3)),
    ]
    slices = (
        resource_slice("n1", [], name="n1-counters", slices=2, sharedCounters=[counter]),
        resource_slice("n1", found, name="n1-parts", slices=2),
    )
    for kind, fitting in (("whole", 1), ("half", 2), ("third", 3)):
        chosen = claim_template("gpu", claim_spec(request("gpu", 1, f'device.attributes["{DRIVER}"].part == "{kind}"')))
        for replicas in sorted({1, fitting}):
            old = deployment("web", replicas, _OWN)
            yield _case(f"partition-{kind}-{replicas}", (node("n1", 0), *slices, chosen), old)
    capacity = {
        "memory": {"value": "40Gi", "requestPolicy": {"default": "10Gi", "validRange": {"min": "10Gi", "step": "10Gi"}}}
    }
    shared = resource_slice("n1", [{**device("gpu-0"), "allowMultipleAllocations": True, "capacity": capacity}])
    for memory, replicas in (("10Gi", 3), ("10Gi", 4), ("15Gi", 1), ("15Gi", 2), ("30Gi", 1)):
        asked = request("gpu", capacity={"requests": {"memory": memory}})
        inventory: Objects = (node("n1", 0), shared, claim_template("gpu", claim_spec(asked)))
        yield _case(f"capacity-{memory.lower()}-{replicas}", inventory, deployment("web", replicas, _OWN))


def _tainted() -> Iterator[Case]:
    """From 1.36 on devices have taints."""
    for effect in ("NoSchedule", "NoExecute", "None"):
        found = [device("gpu-0"), device("gpu-1", taints=[{"key": "broken", "effect": effect}])]
        inventory: Objects = (node("n1", 0), resource_slice("n1", found))
        yield _case(f"taint-{effect.lower()}", (*inventory, claim_template()), deployment("web", 1, _OWN))
        tolerant = request("gpu", tolerations=[{"key": "broken", "operator": "Exists", "effect": effect}])
        if effect != "None":
            chosen = claim_template("gpu", claim_spec(tolerant))
            yield _case(f"taint-{effect.lower()}-tolerated", (*inventory, chosen), deployment("web", 1, _OWN))
    patient = request(
        "gpu", tolerations=[{"key": "broken", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 3600}]
    )
    found = [device("gpu-0"), device("gpu-1", taints=[{"key": "broken", "effect": "NoExecute"}])]
    inventory = (node("n1", 0), resource_slice("n1", found), claim_template("gpu", claim_spec(patient)))
    yield _case("taint-tolerated-for-an-hour", inventory, deployment("web", 1, _OWN))


def _administered() -> Iterator[Case]:
    space = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "ops", "labels": {"resource.kubernetes.io/admin-access": "true"}},
    }
    watching = claim_template("watch", claim_spec(request("gpu", 0, adminAccess=True)), "ops")
    web = deployment("web", 2, _OWN)
    inventory: Objects = (*_machine("n1", 2), space, watching, claim_template())
    watcher = merged(deployment("watcher", 1, using("watch")), {"metadata": {"namespace": "ops"}})
    yield _case("admin-beside", inventory, web, watcher, new=(merged(watcher, SECOND),))
    agent = merged(workload("DaemonSet", "agent", {}, using("watch")), {"metadata": {"namespace": "ops"}})
    yield _case("admin-daemon-set", inventory, web, agent, new=(merged(agent, SECOND),))
    yield _case("admin-does-not-hold", inventory, deployment("web", 1, _OWN), watcher)


def _quotas() -> Iterator[Case]:
    for key in ("count/resourceclaims.resource.k8s.io", "gpu.deviceclass.resource.k8s.io/devices"):
        for spare in (0, 1):
            quota = {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {"name": "limits", "namespace": "default"},
                "spec": {"hard": {key: str(1 + spare)}},
            }
            inventory: Objects = (*_machine("n1", 4), quota, claim_template())
            for label, strategy in (("default", {}), ("safe", _SAFE)):
                name = f"quota-{'claims' if key.startswith('count') else 'devices'}-spare{spare}-{label}"
                yield _case(name, inventory, deployment("web", 1, _OWN, **strategy))
