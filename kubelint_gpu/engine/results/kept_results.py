"""The result of a unit from an earlier run, if nothing that decides it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import NotPlain, from_text, to_text
from kubelint_gpu.workspace.project.kept.known_files import program

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store
    from kubelint_gpu.workspace.apply_set import ApplySet

Result = tuple[Any, int, bool]
"""What came of the work, the steps that it left, and whether something was cut off for want of steps."""


class KeptResults:
    """Results by the digest of their units.

    `further` is what decides them besides the program; `today` matters if a suppression expires. `classes` are those of
    the contained values. Results that are not `lasting` are not kept.
    """

    def __init__(
        self,
        store: Store,
        further: Iterable[str],
        today: str,
        classes: Mapping[str, type],
        lasting: Callable[[Any], bool],
    ) -> None:
        self._store = store
        self._further = (program(), *further)
        self._today = today
        self._classes = classes
        self._lasting = lasting

    def key(self, unit: ApplySet) -> str | None:
        """The key of a unit's result; None if it is not kept."""
        from kubelint_gpu.workspace.unit_key import unit_key

        texts = (reading.text for reading in unit.readings)
        dated = any("until" in text or "\\" in text for text in texts)
        return unit_key(unit, (*self._further, self._today if dated else ""))

    def recall(self, key: str, steps: int) -> Result | None:
        """The result with so many steps, if it is known.

        A complete result also holds for more steps; one that was cut off only for exactly as many.
        """
        for name in (key, digest_of((key, str(steps)))):
            text = self._store.get(name)
            if text is None:
                continue
            try:
                given, used, cut, answer = from_text(text, self._classes)
                if given == steps or (given < steps and not cut):
                    return answer, max(0, steps - used), cut
            except (NotPlain, TypeError, ValueError):
                continue
        return None

    def keep(self, key: str, steps: int, result: Result) -> None:
        """Store a result with so many steps."""
        answer, left, cut = result
        if not self._lasting(answer):
            return
        try:
            text = to_text((steps, steps - left, cut, answer))
        except NotPlain:
            return
        self._store.put(digest_of((key, str(steps))) if cut else key, text)


def recalled(store: Store, key: str, classes: Mapping[str, type]) -> tuple[Any, Any] | None:
    """The pair that is stored under a key; None if there is none."""
    text = store.get(key)
    try:
        first, second = from_text(text, classes) if text is not None else (None, None)
    except (NotPlain, TypeError, ValueError):
        return None
    return None if text is None else (first, second)
