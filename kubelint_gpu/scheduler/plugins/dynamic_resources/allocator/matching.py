"""Which devices a request may get, by the selectors of its class and its own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from kubelint_gpu.budget import STEPS
from kubelint_gpu.kube.dra.claim import DeviceQuery
from kubelint_gpu.kube.dra.device import qualified
from kubelint_gpu.kube.dra.device_class import DeviceClass
from kubelint_gpu.kube.dra.selector import Selector, selector
from kubelint_gpu.kube.dra.sight import Sight
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.outcome import (
    OF_CLAIM,
    Failed,
    Name,
    SelectorFailure,
    Unknown,
)
from kubelint_gpu.scheduler.plugins.dynamic_resources.allocator.pools import Slot
from kubelint_gpu.values import replace
from kubelint_gpu.work import charge


class Matcher:
    """Caches whether devices satisfy requests."""

    __slots__ = ("_classes", "_found", "_shareable")

    def __init__(self, classes: Mapping[str, DeviceClass], *, shareable: bool) -> None:
        self._classes = classes
        self._shareable = shareable
        self._found: dict[tuple[int, int], bool] = {}

    def selects(self, query: DeviceQuery, number: int, claim: int, place: int, slot: Slot) -> bool:
        """Whether a device satisfies a request; `number` identifies the request, `place` the device.

        Raises:
            Failed: a selector does not compile or has a runtime error.
            Unknown: a selector has no known verdict.
        """
        key = (number, place)
        known = self._found.get(key)
        if known is None:
            known = self._found[key] = self._selects(query, claim, place, slot)
        return known

    def serves(self, query: DeviceQuery, number: int, claim: int, place: int, slot: Slot) -> bool:
        """Whether a device satisfies a request, and the request tolerates its taints."""
        return not query.is_kept_off(slot.device.taints) and self.selects(query, number, claim, place, slot)

    def _selects(self, query: DeviceQuery, claim: int, place: int, slot: Slot) -> bool:
        charge(len(query.selectors) // STEPS.evaluated)
        must_be_declared(slot, [qualified(name, slot.id.driver) for name in query.capacity])
        found = self._classes.get(query.device_class)
        if found is not None:
            of_class = (f"class {found.name}",)
            if not self._match(found.selectors, of_class, SelectorFailure(query, found.name, 0, place, ""), slot):
                return False
        own = SelectorFailure(query, "", 0, place, "")
        return self._match(query.selectors, (OF_CLAIM, Name("claim", claim)), own, slot) and slot.reached

    def _match(
        self, selectors: Sequence[str | None], who: tuple[str | Name, ...], failure: SelectorFailure, slot: Slot
    ) -> bool:
        for number, expression in enumerate(selectors):
            compiled = selector(expression or "", shareable=self._shareable)
            if compiled.error is not None:
                why = f": selector #{number}: CEL compile error: {compiled.error.text}"
                raise Failed(*who, why, selector=replace(failure, number=number))
            must_be_declared(slot, [path[1:] for path in compiled.sight.parts], every=compiled.sight.everything)
            verdict = compiled.verdict(slot.subject)
            if verdict.unknown:
                raise Unknown(f"selector #{number} of a {str(who[0]).partition(' ')[0]}: {verdict.unknown}")
            if verdict.error:
                why = f": selector #{number}: CEL runtime error: {verdict.error}"
                raise Failed(*who, why, selector=replace(failure, number=number, error=verdict.error))
            if not verdict.matches:
                return False
        return True


def must_be_declared(slot: Slot, names: Iterable[tuple[str, str]], *, every: bool = False) -> None:
    """Check that the inventory has these values of a device, or every value.

    Raises:
        Unknown: it does not: the values of the device are made up.
    """
    missing = slot.device.undeclared if every else slot.device.undeclared.intersection(names)
    if missing:
        raise Unknown(f"the inventory does not declare {min(missing)[1]} of its devices")


def sight_of(queries: Sequence[DeviceQuery], classes: Mapping[str, DeviceClass], *, shareable: bool) -> Sight:
    """The parts of devices that the selectors of some requests look at."""
    parts: set[tuple[str, str, str]] = set()
    for compiled in _selectors(queries, classes, shareable):
        if compiled.sight.everything:
            return Sight(everything=True)
        parts |= compiled.sight.parts
    return Sight(frozenset(parts))


def _selectors(queries: Sequence[DeviceQuery], classes: Mapping[str, DeviceClass], shareable: bool) -> list[Selector]:
    texts: dict[str, None] = {}
    for query in queries:
        found = classes.get(query.device_class)
        for expression in (*(found.selectors if found is not None else ()), *query.selectors):
            texts[expression or ""] = None
    return [selector(text, shareable=shareable) for text in texts]
