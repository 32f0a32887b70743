"""Devices: the drivers' description of them, and their identifiers in a cluster."""

from __future__ import annotations

from typing import Any, NamedTuple

from kubelint_gpu.kube.objects.taints import Taint, read_device_taint
from kubelint_gpu.kube.values.fields import Fields, described
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.kube.values.selectors import NodeSelector, read_node_selector
from kubelint_gpu.values import Value

ATTRIBUTE_KINDS = ("int", "bool", "string", "version", "ints", "bools", "strings", "versions")


class DeviceID(NamedTuple):
    """The identifier of a device in the cluster."""

    driver: str
    pool: str
    device: str

    def __str__(self) -> str:
        return f"{self.driver}/{self.pool}/{self.device}"


class Attribute(Value):
    """A value of a device and its kind (`int`, `bool`, `string`, `version`, and lists of them)."""

    kind: str
    value: Any


class Capacity(Value):
    """A capacity of a device, and which parts of it may be requested.

    Attributes:
        value: the full amount.
        default: what a request without an amount consumes; None means all.
        valid: the amounts that may be consumed, ascending; empty if they are not enumerated.
        minimum: the smallest amount; None if there is no range.
        maximum: the largest amount of the range.
        step: amounts of the range are the minimum plus a multiple of this.
        ranged: whether there is a range.
    """

    value: Amount
    default: Amount | None = None
    valid: tuple[Amount, ...] = ()
    minimum: Amount | None = None
    maximum: Amount | None = None
    step: Amount | None = None
    ranged: bool = False

    @property
    def has_policy(self) -> bool:
        """Whether it restricts the amounts that may be requested."""
        return self.ranged or self.default is not None or bool(self.valid)

    @property
    def largest(self) -> Amount:
        """The largest amount that one request can get."""
        allowed = self.valid[-1] if self.valid else self.maximum
        return self.value if allowed is None else min(self.value, allowed)


class Consumption(Value):
    """The amounts of a counter set that a device takes while it is allocated."""

    counter_set: str
    counters: FrozenMap[str, Amount] = EMPTY


class Device(Value):
    """A device of a ResourceSlice.

    Attributes:
        name: unique in its pool.
        attributes: by name, which has a domain (`domain/id`) or is in that of the driver.
        capacity: by name, likewise.
        consumes: counters that it takes while it is allocated.
        taints: its own; those of DeviceTaintRules are added.
        node_name: its node, if its slice has `perDeviceNodeSelection`.
        node_selector: likewise, the nodes that reach it.
        all_nodes: likewise, whether all nodes reach it.
        binds_to_node: an allocation is for the chosen node only.
        binding_conditions: conditions that must be true before a pod is bound.
        shareable: `allowMultipleAllocations`.
        undeclared: attributes and capacities by domain and identifier whose values are made up.
    """

    name: str
    attributes: FrozenMap[str, Attribute] = EMPTY
    capacity: FrozenMap[str, Capacity] = EMPTY
    consumes: tuple[Consumption, ...] = ()
    taints: tuple[Taint, ...] = ()
    node_name: str = ""
    node_selector: NodeSelector | None = None
    all_nodes: bool = False
    binds_to_node: bool = False
    binding_conditions: tuple[str, ...] = ()
    binding_failure_conditions: tuple[str, ...] = ()
    shareable: bool = False
    undeclared: frozenset[tuple[str, str]] = frozenset()


def qualified(name: str, driver: str) -> tuple[str, str]:
    """Domain and identifier of an attribute or a capacity; the default domain is that of the driver."""
    domain, slash, identifier = name.partition("/")
    return (domain, identifier) if slash else (driver, name)


def attribute_of(device: Device, driver: str, name: str) -> Attribute | None:
    """The attribute with a fully qualified name; None if the device has none."""
    found = device.attributes.get(name)
    if found is not None:
        return found
    domain, slash, identifier = name.partition("/")
    return device.attributes.get(identifier) if slash and domain == driver else None


def read_device(fields: Fields, *, basic: bool = False) -> Device:
    """A device; `basic` is the shape of v1beta1, which nests everything but the name."""
    body = fields.down("basic") if basic else fields
    return Device(
        name=fields.text("name"),
        attributes=_attributes(body.child("attributes")),
        capacity=_capacities(body.child("capacity")),
        consumes=tuple(
            Consumption(child.text("counterSet"), read_counters(child.child("counters")))
            for child in body.children("consumesCounters")
        ),
        taints=tuple(read_device_taint(child) for child in body.children("taints")),
        node_name=body.text("nodeName"),
        node_selector=_selector(body),
        all_nodes=body.boolean("allNodes"),
        binds_to_node=body.boolean("bindsToNode"),
        binding_conditions=body.texts("bindingConditions"),
        binding_failure_conditions=body.texts("bindingFailureConditions"),
        shareable=body.boolean("allowMultipleAllocations"),
        undeclared=frozenset(qualified(name, "") for name in body.texts("undeclared")),
    )


def read_counters(fields: Fields | None) -> FrozenMap[str, Amount]:
    """Counters by name."""
    if fields is None:
        return EMPTY
    found = {name: fields.down(name).amount("value") for name in fields.value}
    return FrozenMap({name: 0 if amount is None else amount for name, amount in found.items()})


def _selector(fields: Fields) -> NodeSelector | None:
    found = fields.child("nodeSelector")
    return None if found is None else read_node_selector(found)


def _attributes(fields: Fields | None) -> FrozenMap[str, Attribute]:
    if fields is None:
        return EMPTY
    found = {name: _attribute(fields.down(name)) for name in fields.value}
    return FrozenMap({name: attribute for name, attribute in found.items() if attribute is not None})


def _attribute(fields: Fields) -> Attribute | None:
    for kind in ATTRIBUTE_KINDS:
        value = fields.value.get(kind)
        if value is None:
            continue
        single = kind.removesuffix("s")
        if single == kind and _is(single, value):
            return Attribute(kind, value)
        if single != kind and isinstance(value, list) and all(_is(single, one) for one in value):
            return Attribute(kind, tuple(value))
        _report(fields, kind, value)
        return None
    fields.report((), f"must have one of {', '.join(ATTRIBUTE_KINDS[:4])}", fields.value)
    return None


def _is(kind: str, value: Any) -> bool:
    if kind == "bool":
        return isinstance(value, bool)
    if kind == "int":
        return isinstance(value, int) and not isinstance(value, bool) and -(2**63) <= value < 2**63
    return isinstance(value, str)


def _report(fields: Fields, kind: str, value: Any) -> None:
    wanted = {"bool": "true or false", "int": "an integer"}.get(kind.removesuffix("s"), "a string")
    many = "a list; each entry must be " if kind.endswith("s") else ""
    fields.report((kind,), f"must be {many}{wanted}, not {described(value)}", value)


def _capacities(fields: Fields | None) -> FrozenMap[str, Capacity]:
    if fields is None:
        return EMPTY
    found = {}
    for name in fields.value:
        one = fields.down(name)
        policy = one.down("requestPolicy")
        limits = policy.down("validRange")
        found[name] = Capacity(
            value=one.amount("value") or 0,
            default=policy.amount("default"),
            valid=_valid(policy),
            minimum=limits.amount("min"),
            maximum=limits.amount("max"),
            step=limits.amount("step"),
            ranged="validRange" in policy,
        )
    return FrozenMap(found)


def _valid(policy: Fields) -> tuple[Amount, ...]:
    values = policy.value.get("validValues")
    if values is None:
        return ()
    if not isinstance(values, list):
        policy.report(("validValues",), f"must be a list, not {described(values)}", values)
        return ()
    numbered = Fields({str(place): value for place, value in enumerate(values)}, (*policy.pointer, "validValues"))
    numbered.problems = policy.problems
    return tuple(numbered.amounts().values())
