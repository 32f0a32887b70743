"""What comes of looking for the devices of some claims on a node."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.kube.dra.claim import DeviceQuery
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.values import Value

OF_CLAIM = "claim "
"""Before the name of a claim with which an error begins."""


class Taken(Value):
    """A device for a request: its position in the view, `request` or `request/alternative`, and how it is taken."""

    slot: int
    request: str
    admin: bool = False
    shared: bool = False
    consumed: FrozenMap[str, Amount] = EMPTY


class Name(Value):
    """The name of something that differs between nodes or pods that look the same: a device, a pool, a claim."""

    kind: str
    place: int


class Text(Value):
    """A text with such names in it, so that it serves all nodes and pods that look the same."""

    parts: tuple[str | Name, ...]

    def of(self, view: View, claims: Sequence[str]) -> str:
        """The text for a node and the keys of a pod's claims."""
        return "".join(part if isinstance(part, str) else _written(part, view, claims) for part in self.parts)

    def unnamed(self, view: View) -> str:
        """The text for a node, of a claim that is told already: `request r: …`, without `claim default/gpu, `."""
        parts = self.parts[2:] if self.parts[:1] == (OF_CLAIM,) else self.parts
        return Text(parts).of(view, ()).lstrip(":, ")


def _written(name: Name, view: View, claims: Sequence[str]) -> str:
    if name.kind == "device":
        return str(view.slots[name.place].id)
    return view.pools[name.place].key if name.kind == "pool" else claims[name.place]


class SelectorFailure(Value):
    """A selector that has no value for a device.

    Attributes:
        query: the request, or its alternative, for which the device was looked at.
        device_class: the class whose selector it is; empty where it is the request's own.
        number: its place among the selectors.
        slot: the position of the device in the view.
        error: the runtime error; empty where the expression does not compile.
    """

    query: DeviceQuery
    device_class: str
    number: int
    slot: int
    error: str


class AllocatorOutcome(Value):
    """What the allocator says; of the first four only one holds.

    Attributes:
        taken: the devices of each claim; None where there is no allocation.
        error: with which the whole scheduling attempt fails.
        invalid: pools cannot be used, and without them there is no allocation.
        unknown: why it is not known; empty where it is.
        selector: the selector that the error comes from; None where it comes from none.
    """

    taken: tuple[tuple[Taken, ...], ...] | None = None
    error: Text | None = None
    invalid: bool = False
    unknown: str = ""
    selector: SelectorFailure | None = None


class Failed(Exception):  # noqa: N818 - it carries an outcome
    """The attempt fails, as `text` says; `selector` is what it comes from, where that is one."""

    def __init__(self, *parts: str | Name, selector: SelectorFailure | None = None) -> None:
        self.text = Text(parts)
        self.selector = selector


class Unknown(Exception):  # noqa: N818 - it carries an outcome
    """What the scheduler would do is not known."""
