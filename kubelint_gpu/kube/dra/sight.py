"""Which parts of a device an expression looks at."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import NamedTuple

if TYPE_CHECKING:
    from kubelint_gpu.kube.cel.syntax import Node

V = TypeVar("V")


class Sight(NamedTuple):
    """Which parts of a device an expression looks at, as (`attributes` or `capacity`, domain, identifier).

    `everything` says that it may look at all parts.
    """

    parts: frozenset[tuple[str, str, str]] = frozenset()
    everything: bool = False

    def of(self, kind: str, written: FrozenMap[str, V], driver: str) -> FrozenMap[str, V]:
        """What it looks at of the attributes or the capacity that a driver wrote."""
        if self.everything:
            return written
        names = _names(self.parts, kind, driver)
        return FrozenMap({name: found for name, found in written.items() if name in names})


@lru_cache(maxsize=256)
def _names(parts: frozenset[tuple[str, str, str]], kind: str, driver: str) -> frozenset[str]:
    """How a driver may write the names of some parts: those in its own domain without it, too."""
    mine = [(domain, name) for one, domain, name in parts if one == kind]
    short = [name for domain, name in mine if domain == driver and "/" not in name]
    return frozenset([*short, *(f"{domain}/{name}" for domain, name in mine)])


def sight_of(tree: Node) -> Sight:
    """The parts of a device that an expression names; everything where it names some by other than a literal."""
    from kubelint_gpu.kube.cel.syntax import Ident, children

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
    """The literal names by which a node goes down from `device`; None for other nodes."""
    from kubelint_gpu.kube.cel.syntax import Call, Const, Ident, Select

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
