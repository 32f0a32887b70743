"""Rollouts that people really have: one function for each thing that new and old pods can compete for."""

from __future__ import annotations

from collections.abc import Iterator

from conformance.api_client import Object
from conformance.objects import SECOND, deployment, job, node, pod_spec, priority_class, volume, workload
from conformance.rollout_case import Case, merged

Strategy = dict[str, int | str]
_SAFE: Strategy = {"maxSurge": 0, "maxUnavailable": 1}
_SURGE: Strategy = {"maxSurge": 1, "maxUnavailable": 0}


def families() -> Iterator[Case]:
    """Every case."""
    for family in (_daemon_sets, _stateful_sets, _together, _quotas, _priorities, _spreading, _volumes, _moves, _sizes):
        yield from family()


def rolled(*old: Object, change: Object | None = None) -> tuple[Object, ...]:
    """The same workloads with another template."""
    return tuple(merged(merged(each, SECOND), change or {}) for each in old)


def _template(spec: Object) -> Object:
    return {"spec": {"template": {"spec": spec}}}


def _daemon_sets() -> Iterator[Case]:
    for gpus in (1, 2):
        for count in (1, 3):
            for label, rolling in (
                ("surge", {"maxSurge": 1, "maxUnavailable": 0}),
                ("one", {"maxUnavailable": 1}),
                ("two", {"maxUnavailable": 2}),
            ):
                old = workload("DaemonSet", "agent", {"updateStrategy": {"rollingUpdate": rolling}}, pod_spec(1))
                nodes = tuple(node(f"n{number}", gpus) for number in range(count))
                yield Case(f"daemon-set-{label}-{count}x{gpus}", nodes, (old,), rolled(old))
    spec = pod_spec(0)
    spec["containers"][0]["ports"] = [{"containerPort": 9400, "hostPort": 9400}]
    for label, rolling in (("surge", {"maxSurge": 1, "maxUnavailable": 0}), ("one", {"maxUnavailable": 1})):
        old = workload("DaemonSet", "agent", {"updateStrategy": {"rollingUpdate": rolling}}, spec)
        yield Case(f"daemon-set-port-{label}", (node("n1", 1), node("n2", 1)), (old,), rolled(old))
    old = workload("DaemonSet", "agent", {"updateStrategy": {"type": "OnDelete"}}, pod_spec(1))
    yield Case("daemon-set-on-delete", (node("n1", 1),), (old,), rolled(old))
    old = workload("DaemonSet", "agent", {}, pod_spec(1))
    bigger = {"containers": pod_spec(2)["containers"]}
    yield Case("daemon-set-bigger", (node("n1", 1), node("n2", 2)), (old,), rolled(old, change=_template(bigger)))
    beside = deployment("web", 1, pod_spec(1))
    yield Case("daemon-set-beside", (node("n1", 2), node("n2", 1)), (old, beside), rolled(old))


def _stateful_sets() -> Iterator[Case]:
    for policy in ("OrderedReady", "Parallel"):
        for replicas in (1, 2, 3):
            old = workload("StatefulSet", "db", _stateful(replicas, policy), pod_spec(1))
            name = f"stateful-set-{policy.lower()}-{replicas}"
            yield Case(name, (node("n1", replicas),), (old,), rolled(old))
            bigger = _template({"containers": pod_spec(2)["containers"]})
            yield Case(f"{name}-bigger", (node("n1", replicas),), (old,), rolled(old, change=bigger))
            yield Case(f"{name}-bigger-room", (node("n1", replicas + 1),), (old,), rolled(old, change=bigger))
        old = workload("StatefulSet", "db", _stateful(2, policy), pod_spec(1))
        away = _template({"nodeSelector": {"kubernetes.io/hostname": "n2"}})
        yield Case(
            f"stateful-set-{policy.lower()}-moved", (node("n1", 2), node("n2", 1)), (old,), rolled(old, change=away)
        )
        part = merged(old, {"spec": {"updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"partition": 1}}}})
        yield Case(f"stateful-set-{policy.lower()}-partition", (node("n1", 2),), (part,), rolled(part))
        beside = deployment("web", 1, pod_spec(1), **_SURGE)
        yield Case(f"stateful-set-{policy.lower()}-beside", (node("n1", 3),), (old, beside), rolled(old, beside))


def _stateful(replicas: int, policy: str) -> Object:
    return {"replicas": replicas, "serviceName": "db", "podManagementPolicy": policy}


def _together() -> Iterator[Case]:
    pairs: tuple[tuple[str, Strategy], ...] = (
        ("default", {}),
        ("surge", _SURGE),
        ("safe", _SAFE),
        ("recreate", {"type": "Recreate"}),
    )
    for first, one in pairs:
        for second, other in pairs:
            old = (deployment("a", 1, pod_spec(1), **one), deployment("b", 1, pod_spec(1), **other))
            yield Case(f"together-{first}-{second}", (node("n1", 2),), old, rolled(*old))
            yield Case(f"together-{first}-{second}-steady", (node("n1", 2),), old, rolled(old[0]))
    for spare in (0, 1):
        three = tuple(deployment(name, 2, pod_spec(1)) for name in "abc")
        yield Case(f"together-three-spare{spare}", (node("n1", 6 + spare),), three, rolled(*three))
    batch = job("batch", 1, pod_spec(1))
    web = deployment("web", 1, pod_spec(1))
    yield Case("together-job-ends", (node("n1", 2),), (web,), (batch, *rolled(web)))
    yield Case("together-job-late", (node("n1", 1),), (web,), (batch,))
    swap = tuple(
        deployment(name, 1, pod_spec(1, nodeSelector={"kubernetes.io/hostname": home}), **strategy)
        for name, home, strategy in (("a", "n1", _SURGE), ("b", "n2", _SURGE))
    )
    away = tuple(
        merged(each, _template({"nodeSelector": {"kubernetes.io/hostname": home}}))
        for each, home in zip(swap, ("n2", "n1"), strict=True)
    )
    nodes = (node("n1", 1), node("n2", 1))
    yield Case("together-swap", nodes, swap, away)
    loose = tuple(merged(each, {"spec": {"strategy": {"rollingUpdate": _SAFE}}}) for each in away)
    yield Case("together-swap-safe", nodes, swap, loose)
    yield Case("together-swap-one-safe", nodes, swap, (away[0], loose[1]))


def _quotas() -> Iterator[Case]:
    for replicas, strategy in (
        (1, {}),
        (1, _SAFE),
        (2, {}),
        (3, _SAFE),
        (4, {}),
        (4, {"maxSurge": 2, "maxUnavailable": 2}),
    ):
        for spare in (0, 1):
            for key in ("requests.nvidia.com/gpu", "pods"):
                old = deployment("web", replicas, pod_spec(1), **strategy)
                quota = _quota({key: str(replicas + spare)})
                how = "-".join(str(number) for number in strategy.values()) or "default"
                name = f"quota-{key.partition('.')[0]}-r{replicas}-{how}-spare{spare}"
                yield Case(name, (node("n1", 9), quota), (old,), rolled(old))
    old = deployment("web", 1, pod_spec(1), type="Recreate")
    yield Case("quota-recreate", (node("n1", 9), _quota({"pods": "1"})), (old,), rolled(old))
    old = workload("StatefulSet", "db", _stateful(2, "OrderedReady"), pod_spec(1))
    yield Case("quota-stateful-set", (node("n1", 9), _quota({"pods": "2"})), (old,), rolled(old))
    old = workload(
        "DaemonSet", "agent", {"updateStrategy": {"rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}}}, pod_spec(1)
    )
    yield Case("quota-daemon-set-surge", (node("n1", 9), _quota({"pods": "1"})), (old,), rolled(old))


def _quota(hard: dict[str, str]) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "limits", "namespace": "default"},
        "spec": {"hard": hard},
    }


def _priorities() -> Iterator[Case]:
    classes = (priority_class("low"), priority_class("high"), priority_class("polite"))
    for replicas in (1, 2):
        nodes = (node("n1", replicas),)
        for before, after in (("low", "high"), ("low", "polite"), ("high", "low"), ("", "high"), ("low", "low")):
            old = deployment("web", replicas, _of(before))
            raised = _template({"priorityClassName": after})
            yield Case(
                f"priority-{before or 'none'}-{after}-r{replicas}",
                (*nodes, *classes),
                (old,),
                rolled(old, change=raised),
            )
    web, batch = deployment("web", 1, _of("high")), deployment("batch", 1, _of("low"))
    yield Case("priority-evicts-other", (node("n1", 2), *classes), (web, batch), rolled(web))
    yield Case("priority-evicts-other-room", (node("n1", 2), node("n2", 1), *classes), (web, batch), rolled(web))
    yield Case("priority-lower-rolls", (node("n1", 2), *classes), (web, batch), rolled(batch))
    guard: Object = {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": "guard", "namespace": "default"},
        "spec": {"maxUnavailable": 0, "selector": {"matchLabels": {"app": "batch"}}},
    }
    yield Case("priority-budget-broken", (node("n1", 2), *classes, guard), (web, batch), rolled(web))
    bare = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "bare", "namespace": "default", "labels": {"app": "bare"}},
        "spec": {**_of("low"), "nodeName": "n1"},
    }
    yield Case("priority-evicts-bare", (node("n1", 2), *classes, bare), (web,), rolled(web))
    polite = deployment("web", 1, _of("polite"))
    yield Case("priority-polite", (node("n1", 2), *classes), (polite, batch), rolled(polite))


def _of(priority: str) -> Object:
    return pod_spec(1, **({"priorityClassName": priority} if priority else {}))


def _spreading() -> Iterator[Case]:
    own = {"matchLabels": {"app": "web"}}
    zones = ("a", "b", "c")
    for count in (1, 2, 3):
        nodes = tuple(node(f"n{n}", 4, {"topology.kubernetes.io/zone": zones[n]}) for n in range(count))
        for key in ("kubernetes.io/hostname", "topology.kubernetes.io/zone"):
            short = key.rpartition("/")[2]
            for keys in ((), ("pod-template-hash",)):
                more = {"matchLabelKeys": list(keys)} if keys else {}
                term = {"labelSelector": own, "topologyKey": key, **more}
                anti = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
                old = deployment("web", count, pod_spec(1, affinity=anti))
                suffix = f"{short}-{count}{'-hash' if keys else ''}"
                yield Case(f"anti-affinity-{suffix}", nodes, (old,), rolled(old))
                if not keys:
                    old = deployment("web", count, pod_spec(1, affinity=anti), **_SAFE)
                    yield Case(f"anti-affinity-{suffix}-safe", nodes, (old,), rolled(old))
                spread = [{"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **term}]
                for replicas in (count, count + 1):
                    old = deployment("web", replicas, pod_spec(1, topologySpreadConstraints=spread))
                    yield Case(f"spread-{suffix}-r{replicas}", nodes, (old,), rolled(old))
    spec = pod_spec(1)
    spec["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": 8080}]
    for label, strategy in (("default", {}), ("safe", _SAFE)):
        old = deployment("web", 2, spec, **strategy)
        yield Case(f"port-{label}", (node("n1", 4), node("n2", 4)), (old,), rolled(old))
        yield Case(f"port-{label}-room", tuple(node(f"n{n}", 4) for n in range(3)), (old,), rolled(old))
        new_port = _template(
            {"containers": [{**spec["containers"][0], "ports": [{"containerPort": 80, "hostPort": 9090}]}]}
        )
        yield Case(f"port-{label}-other", (node("n1", 4), node("n2", 4)), (old,), rolled(old, change=new_port))
    together = {
        "podAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": [
                {"labelSelector": own, "topologyKey": "kubernetes.io/hostname"}
            ]
        }
    }
    for gpus in (2, 3):
        old = deployment("web", 2, pod_spec(1, affinity=together))
        yield Case(f"affinity-together-{gpus}", (node("n1", gpus), node("n2", gpus)), (old,), rolled(old))


def _volumes() -> Iterator[Case]:
    for mode, claim in (("ReadWriteOncePod", "rwop-web"), ("ReadWriteOnce", "rwo-web")):
        spec = pod_spec(1, volumes=[{"name": "data", "persistentVolumeClaim": {"claimName": claim}}])
        for label, strategy in (("default", {}), ("safe", _SAFE), ("recreate", {"type": "Recreate"})):
            for nodes in (1, 2):
                old = deployment("web", 1, spec, **strategy)
                inventory = (*(node(f"n{n}", 2) for n in range(nodes)), *volume(claim, mode))
                yield Case(f"volume-{claim}-{label}-{nodes}", inventory, (old,), rolled(old))
        single = tuple(node(f"n{n}", 1) for n in range(2))
        old = deployment("web", 1, spec)
        yield Case(f"volume-{claim}-elsewhere", (*single, *volume(claim, mode)), (old,), rolled(old))


def _moves() -> Iterator[Case]:
    disk = {"disk": "ssd"}
    for label, strategy in (("default", {}), ("safe", _SAFE)):
        old = deployment("web", 1, pod_spec(1, nodeSelector={"kubernetes.io/hostname": "n1"}), **strategy)
        for gpus in (0, 1):
            away = _template({"nodeSelector": {"kubernetes.io/hostname": "n2"}})
            yield Case(f"move-{label}-to-{gpus}", (node("n1", 1), node("n2", gpus)), (old,), rolled(old, change=away))
        nowhere = _template({"nodeSelector": {"kubernetes.io/hostname": "n9"}})
        yield Case(f"move-{label}-nowhere", (node("n1", 1), node("n2", 1)), (old,), rolled(old, change=nowhere))
        wider = _template({"nodeSelector": {"kubernetes.io/hostname": None, **disk}})
        nodes = (node("n1", 1, disk), node("n2", 1, disk), node("n3", 4))
        yield Case(f"move-{label}-wider", nodes, (old,), rolled(old, change=wider))
    # where the old pods are decides: two of three nodes take the new ones
    old = deployment("web", 2, pod_spec(1))
    narrow = _template({"nodeSelector": disk})
    yield Case("move-narrower", (node("n1", 1, disk), node("n2", 1), node("n3", 1)), (old,), rolled(old, change=narrow))
    yield Case(
        "move-narrower-more",
        (node("n1", 1, disk), node("n2", 1, disk), node("n3", 1)),
        (old,),
        rolled(old, change=narrow),
    )
    mixed = deployment("web", 2, pod_spec(1), maxSurge=1, maxUnavailable=1)
    yield Case(
        "move-narrower-loose",
        (node("n1", 1, disk), node("n2", 1), node("n3", 1)),
        (mixed,),
        rolled(mixed, change=narrow),
    )


def _sizes() -> Iterator[Case]:
    for before, after in ((1, 2), (2, 1), (1, 0), (0, 1)):
        for gpus in (2, 3, 4):
            for label, strategy in (("default", {}), ("safe", _SAFE)):
                if max(before, 1) * 2 > gpus and before:
                    continue
                old = deployment("web", 2, pod_spec(before), **strategy)
                change = _template({"containers": pod_spec(after)["containers"]})
                yield Case(
                    f"size-{before}-{after}-of{gpus}-{label}", (node("n1", gpus),), (old,), rolled(old, change=change)
                )
    for replicas in (1, 3):
        old = deployment("web", 2, pod_spec(1))
        yield Case(
            f"scale-2-{replicas}", (node("n1", 3),), (old,), rolled(old, change={"spec": {"replicas": replicas}})
        )
    old = deployment("web", 2, pod_spec(0, cpu="3"))
    yield Case("cpu-full", (node("n1", 0, cpu="6"),), (old,), rolled(old))
    yield Case("cpu-room", (node("n1", 0, cpu="9"),), (old,), rolled(old))
    old = deployment("web", 2, pod_spec())
    yield Case("pods-full", (node("n1", 0, pods=2),), (old,), rolled(old))
    slow = merged(deployment("web", 2, pod_spec(1), **_SAFE), {"spec": {"minReadySeconds": 1}})
    yield Case("min-ready", (node("n1", 2),), (slow,), rolled(slow))
    fragmented = deployment("web", 2, pod_spec(2))
    change = _template({"containers": pod_spec(4)["containers"]})
    yield Case("fragmented", (node("n1", 4), node("n2", 4)), (fragmented,), rolled(fragmented, change=change))
    change = _template({"containers": pod_spec(3)["containers"]})
    small = deployment("small", 2, pod_spec(1))
    web = deployment("web", 1, pod_spec(1), **_SAFE)
    yield Case("fragmented-by-others", (node("n1", 3), node("n2", 3)), (small, web), rolled(web, change=change))
