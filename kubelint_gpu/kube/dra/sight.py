"""What an expression can see of a device, and which parts it looks at."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeVar

from kubelint_gpu.kube.cel.syntax import Call, Const, Ident, Node, Select, children
from kubelint_gpu.kube.dra.device import Attribute, Device, qualified
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.values import Value

V = TypeVar("V")


class Sight(Value):
    """The parts of a device that an expression looks at, as (`attributes` or `capacity`, domain, identifier).

    `everything` says that it may look at all parts.
    """

    parts: frozenset[tuple[str, str, str]] = frozenset()
    everything: bool = False

    def of(self, kind: str, written: FrozenMap[str, V], driver: str) -> FrozenMap[str, V]:
        """The attributes or capacities of a driver that the expression looks at."""
        if self.everything:
            return written
        names = _names(self.parts, kind, driver)
        return FrozenMap({name: found for name, found in written.items() if name in names})


@lru_cache(maxsize=256)
def _names(parts: frozenset[tuple[str, str, str]], kind: str, driver: str) -> frozenset[str]:
    """The possible spellings of some parts by a driver: in its own domain also without the domain."""
    mine = [(domain, name) for one, domain, name in parts if one == kind]
    short = [name for domain, name in mine if domain == driver and "/" not in name]
    return frozenset([*short, *(f"{domain}/{name}" for domain, name in mine)])


def sight_of(tree: Node) -> Sight:
    """The parts of a device that an expression names; everything if a name is not a literal."""
    parts: set[tuple[str, str, str]] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        path = literal_path(node)
        if path is not None:
            if len(path) == 3:
                parts.add((path[0], path[1], path[2]))
                continue
            if len(path) == 1 and path[0] in ("driver", "allowMultipleAllocations"):
                continue
            return Sight(everything=True)
        if isinstance(node, Ident) and node.name == "device":
            return Sight(everything=True)
        waiting += children(node)
    return Sight(frozenset(parts))


def literal_path(node: Node) -> tuple[str, ...] | None:
    """The literal names of a path from `device` to a node; None for other nodes."""
    names: list[str] = []
    while True:
        if isinstance(node, Select):
            names.append(node.name)
            node = node.operand
        elif isinstance(node, Call) and node.function in ("_[_]", "_[?_]", "_?._"):
            index = node.args[1]
            if not isinstance(index, Const) or not isinstance(index.value, str):
                return None
            names.append(index.value)
            node = node.args[0]
        elif isinstance(node, Call) and node.function == "@in":
            index = node.args[0]
            if not isinstance(index, Const) or not isinstance(index.value, str):
                return None
            names.append(index.value)
            node = node.args[1]
        elif isinstance(node, Ident):
            return tuple(reversed(names)) if node.name == "device" and names else None
        else:
            return None


class Subject(Value):
    """Everything of a device that an expression can see and that decides its result."""

    driver: str
    attributes: FrozenMap[str, Attribute]
    capacity: FrozenMap[str, Amount]
    shareable: bool
    broken: str = ""
    """An attribute that cannot be read, with which every expression fails."""


def subject_of(device: Device, driver: str) -> Subject:
    """The part of a device that expressions can see."""
    capacity = FrozenMap({name: found.value for name, found in device.capacity.items()})
    return Subject(driver, device.attributes, capacity, device.shareable, _broken(device))


def _broken(device: Device) -> str:
    for name, attribute in sorted(device.attributes.items()):
        if attribute.kind == "version":
            from kubelint_gpu.kube.cel.cel_errors import EvaluationError
            from kubelint_gpu.kube.cel.cel_values import parse_semver

            try:
                parse_semver(attribute.value)
            except EvaluationError as error:
                return f"attribute {name}: parse semantic version: {error}"
        elif attribute.kind not in ("int", "bool", "string"):
            return f"attribute {name}: unsupported attribute value"
    return ""


@lru_cache(maxsize=8192)
def seen_by(subject: Subject, sight: Sight) -> Subject:
    """A subject without the parts that an expression does not look at."""
    driver = subject.driver
    attributes = sight.of("attributes", subject.attributes, driver)
    return Subject(driver, attributes, sight.of("capacity", subject.capacity, driver), subject.shareable)


def device_value(subject: Subject) -> Any:
    """A device as a CEL value: attributes and capacities by domain; an unknown domain has none."""
    from kubelint_gpu.kube.cel.cel_values import Map, Quantity, parse_semver

    attributes: dict[str, list[tuple[str, Any]]] = {}
    for name, attribute in subject.attributes.items():
        domain, identifier = qualified(name, subject.driver)
        value = parse_semver(attribute.value) if attribute.kind == "version" else attribute.value
        attributes.setdefault(domain, []).append((identifier, value))
    capacity: dict[str, list[tuple[str, Any]]] = {}
    for name, amount in subject.capacity.items():
        domain, identifier = qualified(name, subject.driver)
        capacity.setdefault(domain, []).append((identifier, Quantity(amount, isinstance(amount, int))))
    nothing = Map(())
    return Map(
        (
            ("driver", subject.driver),
            ("allowMultipleAllocations", subject.shareable),
            ("attributes", Map([(domain, Map(entries)) for domain, entries in attributes.items()], nothing)),
            ("capacity", Map([(domain, Map(entries)) for domain, entries in capacity.items()], nothing)),
        )
    )
