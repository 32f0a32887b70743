"""Random rollouts whose pods have claims, from a seed."""

from __future__ import annotations

import random
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
from conformance.objects import SECOND, deployment, job, node, priority_class, workload
from conformance.rollout_case import Case, merged

_STRATEGIES: tuple[dict[str, int | str], ...] = (
    {},
    {"maxSurge": 0, "maxUnavailable": 1},
    {"maxSurge": 1, "maxUnavailable": 0},
    {"maxSurge": 1, "maxUnavailable": 1},
    {"type": "Recreate"},
)
_MODEL = f'device.attributes["{DRIVER}"].model == '
_NUMA = (f"{DRIVER}/numa",)


def random_device_rollouts(seed: int, count: int) -> Iterator[Case]:
    """So many rollouts, each of them from a seed of its own."""
    for number in range(count):
        yield _Rollout(random.Random(f"device rollouts/{seed}/{number}")).made(f"device-random-{seed}-{number:04}")


class _Rollout:
    """One case while it is made."""

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.inventory: list[Object] = [device_class(), priority_class("low"), priority_class("high")]
        self.named: list[str] = []
        self.own: list[str] = []

    def made(self, name: str) -> Case:
        """Machines, claims, one or two workloads that run, a new template of some."""
        choice = self.source.choice
        for number in range(choice((1, 1, 1, 2, 2, 3))):
            self._machine(f"n{number + 1}")
        for number in range(choice((1, 1, 2))):
            key = f"own-{number}"
            self.own.append(key)
            self.inventory.append(claim_template(key, self._asked()))
        if self._one_in(3):
            self.named.append("pool")
            self.inventory.append(claim("pool", self._asked()))
        old = [self._workload(key) for key in ("web", "api")[: choice((1, 1, 2))]]
        new = [self._changed(one) for one in old if len(old) == 1 or not self._one_in(3)] or [self._changed(old[0])]
        if self._one_in(8):
            new.append(job("batch", 1, using(choice(self.own))))
        meanwhile: tuple[Object, ...] = ()
        if self._one_in(10):
            found = next(one for one in self.inventory if one["kind"] == "Node")
            meanwhile = ({**found, "spec": {"unschedulable": True}},)
        return Case(name, tuple(self.inventory), tuple(old), tuple(new), (), meanwhile)

    def _one_in(self, number: int) -> bool:
        return self.source.random() * number < 1

    def _machine(self, name: str) -> None:
        choice = self.source.choice
        self.inventory.append(node(name, 0, {"zone": choice("ab")}, cpu=choice(("2", "8", "8", "8"))))
        found = [
            device(f"gpu-{number}", choice(("A100", "A100", "A100", "H100")), numa=choice((0, 0, 1)))
            for number in range(choice((1, 1, 2, 2, 3, 4)))
        ]
        if self._one_in(8) and len(found) > 1:
            self.inventory.append(resource_slice(name, found[:1], name=f"{name}-a", slices=2))
            self.inventory.append(resource_slice(name, found[1:], name=f"{name}-b", slices=2))
        else:
            self.inventory.append(resource_slice(name, found))

    def _asked(self) -> Object:
        choice = self.source.choice
        kind = choice(("one", "one", "one", "one", "two", "pair", "model", "either", "fewer", "all", "apart"))
        if kind == "two":
            return claim_spec(request(count=2))
        if kind == "pair":
            return claim_spec(request("a"), request("b"), matchAttribute=_NUMA)
        if kind == "model":
            return claim_spec(request("gpu", 1, _MODEL + choice(('"A100"', '"H100"'))))
        if kind == "either":
            return claim_spec(first_available("gpu", good=query(1, _MODEL + '"H100"'), other=query(1)))
        if kind == "fewer":
            return claim_spec(first_available("gpu", two=query(2), one=query(1)))
        if kind == "all":
            return claim_spec(request("gpu", 0, *((_MODEL + '"H100"',) if self._one_in(2) else ())))
        if kind == "apart":
            return claim_spec(request("a", 1, _MODEL + '"A100"'), request("b"))
        return claim_spec()

    def _spec(self) -> Object:
        choice = self.source.choice
        if self.named and self._one_in(2):
            spec = using("pool", template=False)
            if self._one_in(3):
                spec = self._both(spec, using(choice(self.own)))
        else:
            spec = using(choice(self.own))
            if len(self.own) > 1 and self._one_in(4):
                spec = using(*self.own)
        if self._one_in(4):
            spec["containers"][0]["resources"]["requests"] = {"cpu": choice(("1", "3"))}
        if self._one_in(8):
            spec["nodeSelector"] = {"kubernetes.io/hostname": "n1"}
        if self._one_in(8):
            spec["priorityClassName"] = choice(("low", "high"))
        return spec

    @staticmethod
    def _both(one: Object, other: Object) -> Object:
        claims = one["containers"][0]["resources"]["claims"] + other["containers"][0]["resources"]["claims"]
        found: Object = merged(one, {"resourceClaims": one["resourceClaims"] + other["resourceClaims"]})
        found["containers"][0]["resources"]["claims"] = claims
        return found

    def _workload(self, name: str) -> Object:
        choice = self.source.choice
        kind = choice(("Deployment", "Deployment", "Deployment", "StatefulSet", "DaemonSet"))
        spec = self._spec()
        if kind == "Deployment":
            return deployment(name, choice((1, 1, 2, 2, 3)), spec, **choice(_STRATEGIES))
        if kind == "StatefulSet":
            more = {"replicas": choice((1, 2)), "serviceName": name}
            return workload(kind, name, {**more, "podManagementPolicy": choice(("OrderedReady", "Parallel"))}, spec)
        rolling = choice(({"maxSurge": 1, "maxUnavailable": 0}, {"maxUnavailable": 1}))
        return workload(kind, name, {"updateStrategy": {"rollingUpdate": rolling}}, spec)

    def _changed(self, old: Object) -> Object:
        if self._one_in(4):
            spec = self._spec()
            spec["containers"][0]["image"] = "registry.invalid/main:2"
            return {**old, "spec": {**old["spec"], "template": {**old["spec"]["template"], "spec": spec}}}
        if old["kind"] == "Deployment" and self._one_in(6):
            scaled: Object = merged(old, {"spec": {"replicas": self.source.choice((1, 2, 3))}})
            old = scaled
            if self._one_in(2):
                return old
        found: Object = merged(old, SECOND)
        return found
