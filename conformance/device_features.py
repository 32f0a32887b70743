"""Rollouts with what DRA can do from 1.36 on: taints, shared and partitioned devices, resources that classes serve.

A release before that drops these fields, which shows as well.
"""

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
    first_available,
    query,
    request,
    resource_slice,
    using,
)
from conformance.objects import SECOND, deployment, node, workload
from conformance.rollout_case import Case, merged

Objects = tuple[Object, ...]
_OWN = using("gpu")
_SAFE: dict[str, int | str] = {"maxSurge": 0, "maxUnavailable": 1}
_SERVED = "example.com/gpu"
_IMPLICIT = "deviceclass.resource.kubernetes.io/gpu"
_BIG = f'device.capacity["{DRIVER}"].memory.compareTo(quantity("40Gi")) >= 0'


def feature_rollouts() -> Iterator[Case]:
    """Every case."""
    for family in (_tainted, _tainted_since, _shared, _partitioned, _served, _served_quotas, _two_drivers):
        yield from family()


def _case(name: str, inventory: Objects, *old: Object, new: Objects = (), since: Objects = ()) -> Case:
    """A case with the class; without `new` every workload gets another template."""
    later = new or tuple(merged(each, SECOND) for each in old)
    return Case(f"device-feature-{name}", (*inventory, device_class()), old, later, (), since)


def _claiming(old: Object, template: str) -> Object:
    found: Object = merged(merged(old, SECOND), {"spec": {"template": {"spec": using(template)}}})
    return found


def _taint(effect: str, value: str = "") -> Object:
    return {"taints": [{"key": "broken", "effect": effect, **({"value": value} if value else {})}]}


def _tolerating(effect: str = "", **more: object) -> Object:
    chosen = {"key": "broken", "operator": "Exists", **({"effect": effect} if effect else {}), **more}
    return claim_spec(request("gpu", tolerations=[chosen]))


def _tainted() -> Iterator[Case]:
    for label, spec in (
        ("value", _tolerating(operator="Equal", value="x")),
        ("other-value", _tolerating(operator="Equal", value="y")),
        ("other-effect", _tolerating("NoExecute")),
        ("every-effect", _tolerating()),
    ):
        found = [device("gpu-0"), device("gpu-1", **_taint("NoSchedule", "x"))]
        inventory: Objects = (node("n1", 0), resource_slice("n1", found), claim_template("gpu", spec))
        yield _case(f"taint-{label}", inventory, deployment("web", 1, _OWN))
    for seconds in (2, 3600):
        for count in (1, 2):
            found = [device(f"gpu-{number}", **_taint("NoExecute")) for number in range(count)]
            spec = _tolerating("NoExecute", tolerationSeconds=seconds)
            inventory = (node("n1", 0), resource_slice("n1", found), claim_template("gpu", spec))
            for label, strategy in (("default", {}), ("safe", _SAFE)):
                yield _case(
                    f"taint-for-{seconds}s-of-{count}-{label}", inventory, deployment("web", 1, _OWN, **strategy)
                )
    better = first_available(
        "gpu",
        healthy=query(1),
        broken=query(1, tolerations=[{"key": "broken", "operator": "Exists"}]),
    )
    for count in (1, 2):
        found = [device("gpu-0"), *(device(f"gpu-{number + 1}", **_taint("NoSchedule")) for number in range(count))]
        inventory = (node("n1", 0), resource_slice("n1", found), claim_template("gpu", claim_spec(better)))
        yield _case(f"taint-alternative-{count}", inventory, deployment("web", 2, _OWN))


def _tainted_since() -> Iterator[Case]:
    """A device is tainted while a pod has it."""
    for effect in ("NoSchedule", "NoExecute"):
        for count in (1, 2, 3):
            found = [device(f"gpu-{number}") for number in range(count)]
            inventory: Objects = (node("n1", 0), resource_slice("n1", found), claim_template())
            tainted = resource_slice("n1", [device("gpu-0", **_taint(effect)), *found[1:]])
            old = deployment("web", 1, _OWN)
            yield _case(f"taint-since-{effect.lower()}-of-{count}", inventory, old, since=(tainted,))


def _shareable(name: str, policy: Object | None, memory: str = "40Gi") -> Object:
    capacity = {"memory": {"value": memory, **({"requestPolicy": policy} if policy else {})}}
    return {**device(name), "allowMultipleAllocations": True, "capacity": capacity}


def _asking(memory: str) -> Object:
    return claim_spec(request("gpu", capacity={"requests": {"memory": memory}}))


def _shared() -> Iterator[Case]:
    steps = {"default": "10Gi", "validRange": {"min": "10Gi", "max": "30Gi", "step": "10Gi"}}
    values = {"default": "8Gi", "validValues": ["8Gi", "16Gi", "40Gi"]}
    for label, policy, memory, replicas in (
        ("steps", steps, "11Gi", 1),
        ("steps", steps, "11Gi", 2),
        ("steps", steps, "31Gi", 1),
        ("values", values, "9Gi", 1),
        ("values", values, "9Gi", 2),
        ("values", values, "17Gi", 1),
        ("whole", None, "10Gi", 1),
        ("whole", None, "10Gi", 4),
    ):
        found = resource_slice("n1", [_shareable("gpu-0", policy)])
        inventory: Objects = (node("n1", 0), found, claim_template("gpu", _asking(memory)))
        yield _case(f"share-{label}-{memory.lower()}-{replicas}", inventory, deployment("web", replicas, _OWN))
    for label, policy, replicas in (("default", steps, 3), ("default", steps, 4), ("all", None, 1)):
        inventory = (node("n1", 0), resource_slice("n1", [_shareable("gpu-0", policy)]), claim_template())
        yield _case(f"share-{label}-{replicas}", inventory, deployment("web", replicas, _OWN))
    pair = resource_slice("n1", [_shareable("gpu-0", steps), _shareable("gpu-1", steps)])
    small, large = claim_template("gpu", _asking("10Gi")), claim_template("large", _asking("30Gi"))
    for replicas in (1, 2, 4):
        old = deployment("web", replicas, _OWN)
        yield _case(f"share-grows-{replicas}", (node("n1", 0), pair, small, large), old, new=(_claiming(old, "large"),))
    more = {"replicas": 2, "serviceName": "db"}
    db = workload("StatefulSet", "db", more, _OWN)
    one = resource_slice("n1", [_shareable("gpu-0", steps)])
    yield _case("share-stateful-set", (node("n1", 0), one, small, large), db, new=(_claiming(db, "large"),))


def _parts(gpu: int) -> list[Object]:
    """A GPU as a whole and its halves."""
    found = []
    for name, memory in (("whole", "40Gi"), ("half-a", "20Gi"), ("half-b", "20Gi")):
        taken = [{"counterSet": f"gpu-{gpu}", "counters": {"memory": {"value": memory}}}]
        attributes = {"part": {"string": name.partition("-")[0]}, "gpu": {"int": gpu}}
        found.append(device(f"gpu-{gpu}-{name}", memory=memory, consumesCounters=taken, attributes=attributes))
    return found


def _partitioned() -> Iterator[Case]:
    def gpus(count: int) -> Objects:
        counters = [{"name": f"gpu-{n}", "counters": {"memory": {"value": "40Gi"}}} for n in range(count)]
        parts = [part for number in range(count) for part in _parts(number)]
        return (
            node("n1", 0),
            resource_slice("n1", [], name="n1-counters", slices=2, sharedCounters=counters),
            resource_slice("n1", parts, name="n1-parts", slices=2),
        )

    def of(kind: str, count: int = 1, name: str = "") -> Object:
        chosen = f'device.attributes["{DRIVER}"].part == "{kind}"'
        return claim_template(name or kind, claim_spec(request("gpu", count, chosen)))

    whole, half = of("whole"), of("half")
    for count in (1, 2, 3):
        for first, then in (("half", "whole"), ("whole", "half")):
            old = deployment("web", 1, using(first))
            inventory = (*gpus(count), whole, half)
            yield _case(f"parts-{first}-to-{then}-of-{count}", inventory, old, new=(_claiming(old, then),))
    pinned = (deployment("web", 1, using("half"), **_SAFE), deployment("api", 1, using("half")))
    yield _case("parts-of-one", (*gpus(1), half), *pinned)
    apart = claim_spec(
        request("a", 1, f'device.attributes["{DRIVER}"].part == "half"'),
        request("b", 1, f'device.attributes["{DRIVER}"].part == "half"'),
        distinctAttribute=(f"{DRIVER}/gpu",),
    )
    for count in (2, 3, 4):
        yield _case(f"parts-apart-of-{count}", (*gpus(count), claim_template("gpu", apart)), deployment("web", 1, _OWN))
    either = first_available(
        "gpu",
        whole=query(1, f'device.attributes["{DRIVER}"].part == "whole"'),
        half=query(1, f'device.attributes["{DRIVER}"].part == "half"'),
    )
    for replicas in (1, 2):
        inventory = (*gpus(2), claim_template("gpu", claim_spec(either)))
        yield _case(f"parts-either-{replicas}", inventory, deployment("web", replicas, _OWN))
    for name, spec in (("named", using("pool", template=False)), ("own", using("half"))):
        inventory = (*gpus(1), half, claim("pool", half["spec"]["spec"]))
        agent = workload(
            "DaemonSet", "agent", {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}, spec
        )
        yield _case(f"parts-daemon-set-{name}", inventory, agent)


def _limits(**limits: str) -> Object:
    names = {"served": _SERVED, "implicit": _IMPLICIT}
    resources = {"limits": {names[name]: amount for name, amount in limits.items()}}
    container = {"name": "main", "image": "registry.invalid/main:1", "resources": resources}
    return {"containers": [container], "terminationGracePeriodSeconds": 30}


def _served() -> Iterator[Case]:
    served = device_class("served", extendedResourceName=_SERVED)

    def machine(count: int) -> Objects:
        return node("n1", 0), resource_slice("n1", [device(f"gpu-{number}") for number in range(count)]), served

    for count in (1, 2):
        yield _case(f"served-implicit-of-{count}", machine(count), deployment("web", 1, _limits(implicit="1")))
        db = workload("StatefulSet", "db", {"replicas": count, "serviceName": "db"}, _limits(served="1"))
        yield _case(f"served-stateful-set-of-{count}", machine(count), db)
    for count in (2, 3, 4):
        both = deployment("web", 1, _limits(served="1", implicit="1"))
        yield _case(f"served-both-names-of-{count}", machine(count), both)
    old = deployment("web", 1, _limits(served="1"))
    many: Object = merged(merged(old, SECOND), {"spec": {"template": {"spec": _limits(served="3")}}})
    yield _case("served-never-enough", machine(2), old, new=(many,))
    mapped = device_class("h100", f'device.attributes["{DRIVER}"].model == "H100"', extendedResourceName=_SERVED)
    models = resource_slice("n1", [device("gpu-0", "H100"), device("gpu-1"), device("gpu-2")])
    yield _case("served-by-model", (node("n1", 0), models, mapped), deployment("web", 1, _limits(served="1")))


def _served_quotas() -> Iterator[Case]:
    served = device_class("served", extendedResourceName=_SERVED)
    found = resource_slice("n1", [device(f"gpu-{number}") for number in range(4)])
    for key, spec in (
        (f"requests.{_SERVED}", _limits(served="1")),
        ("served.deviceclass.resource.k8s.io/devices", _limits(served="1")),
        (f"requests.{_IMPLICIT}", _limits(implicit="1")),
        ("gpu.deviceclass.resource.k8s.io/devices", _limits(implicit="1")),
        ("count/resourceclaims.resource.k8s.io", _limits(served="1")),
        (f"requests.{_IMPLICIT}", _OWN),
        (f"requests.{_SERVED}", using("served")),
    ):
        quota = {
            "apiVersion": "v1",
            "kind": "ResourceQuota",
            "metadata": {"name": "limits", "namespace": "default"},
            "spec": {"hard": {key: "1"}},
        }
        templates = claim_template(), claim_template("served", claim_spec(request(of="served")))
        how = "claim" if "resourceClaims" in spec else "limits"
        name = f"served-quota-{key.replace('/', '-')}-{how}"
        yield _case(name, (node("n1", 0), found, served, quota, *templates), deployment("web", 1, spec))


def _two_drivers() -> Iterator[Case]:
    """A class that does not look at the driver, where another driver's devices lack what it looks at."""
    port = [{"name": "port-0", "attributes": {"speed": {"int": 100}}}]
    big = device_class("big", _BIG)
    for count, other in ((2, "net.example.com"), (2, "a.example.com"), (1, "net.example.com")):
        slices = (
            resource_slice("n1", [device(f"gpu-{number}") for number in range(count)]),
            resource_slice("n1", port, driver=other, name="n1-port"),
        )
        inventory = (
            node("n1", 0),
            *slices,
            big,
            claim_template("gpu", claim_spec(request(of="big"))),
            claim_template("any"),
        )
        old = deployment("web", 1, using("any"))
        yield _case(f"drivers-{other.partition('.')[0]}-of-{count}", inventory, old, new=(_claiming(old, "gpu"),))
