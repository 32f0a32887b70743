"""The result of looking for the devices of some claims on a node, and how long the search may take."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.budget import BUDGET
from kubelint_gpu.kube.dra.claim import DeviceQuery
from kubelint_gpu.kube.values.frozen import EMPTY, FrozenMap
from kubelint_gpu.kube.values.quantity import Amount
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import View
from kubelint_gpu.values import Value

OF_CLAIM = "claim "
"""Before the name of a claim with which an error begins."""


class Taken(Value):
    """A device for a request: its position in the view, `request` or `request/alternative`, and how it is allocated."""

    slot: int
    request: str
    admin: bool = False
    shared: bool = False
    consumed: FrozenMap[str, Amount] = EMPTY


class Name(Value):
    """A placeholder for a name that differs between equal nodes or pods: of a device, a pool or a claim."""

    kind: str
    place: int


class Text(Value):
    """A text with placeholders for names, so that it serves all equal nodes and pods."""

    parts: tuple[str | Name, ...]

    def of(self, view: View, claims: Sequence[str]) -> str:
        """The text with the names of a node's view and the keys of a pod's claims."""
        return "".join(part if isinstance(part, str) else _written(part, view, claims) for part in self.parts)

    def unnamed(self, view: View) -> str:
        """The text without the claim's name: `request r: …` instead of `claim default/gpu, request r: …`."""
        parts = self.parts[2:] if self.parts[:1] == (OF_CLAIM,) else self.parts
        return Text(parts).of(view, ()).lstrip(":, ")


def _written(name: Name, view: View, claims: Sequence[str]) -> str:
    if name.kind == "device":
        return str(view.slots[name.place].id)
    return view.pools[name.place].key if name.kind == "pool" else claims[name.place]


class SelectorFailure(Value):
    """A selector that has no value for a device.

    Attributes:
        query: the request, or its alternative, for which the device was checked.
        device_class: the class of the selector; empty if it is the request's own.
        number: its index among the selectors.
        slot: the position of the device in the view.
        error: the runtime error; empty if the expression does not compile.
    """

    query: DeviceQuery
    device_class: str
    number: int
    slot: int
    error: str


class AllocatorOutcome(Value):
    """The answer of the allocator; only one of the first four fields is set.

    Attributes:
        taken: the devices of each claim; None if there is no allocation.
        error: the error that fails the whole scheduling attempt.
        invalid: there is no allocation without pools that cannot be used.
        unknown: why the answer is not known; empty if it is.
        selector: the selector that causes the error; None if none does.
    """

    taken: tuple[tuple[Taken, ...], ...] | None = None
    error: Text | None = None
    invalid: bool = False
    unknown: str = ""
    selector: SelectorFailure | None = None


class Failed(Exception):  # noqa: N818 - it carries an outcome
    """The attempt fails with `text`; `selector` is the failing selector, if there is one."""

    def __init__(self, *parts: str | Name, selector: SelectorFailure | None = None) -> None:
        self.text = Text(parts)
        self.selector = selector


class Unknown(Exception):  # noqa: N818 - it carries an outcome
    """The scheduler's decision cannot be predicted."""


TOO_LONG = "the search for devices was given up after {tries} tries"


class Effort:
    """A counter of the devices that all searches of one pod may still try."""

    __slots__ = ("left", "most")

    def __init__(self, most: int = BUDGET.devices) -> None:
        self.left = self.most = most

    def spend(self) -> None:
        """Count one try. Raises Unknown if there were too many."""
        self.left -= 1
        if self.left < 0:
            raise Unknown(TOO_LONG.format(tries=self.most))
