"""Traces the fields of objects whose variables Flux fills in."""

from __future__ import annotations

from collections.abc import Sequence

from kubelint_gpu.documents import Document, Pointer, Reading, Role, read, value_at
from kubelint_gpu.sources.files import SKIMMED
from kubelint_gpu.sources.kustomize.envsubst import SubstitutionError
from kubelint_gpu.sources.kustomize.origin import Origin
from kubelint_gpu.sources.kustomize.variables import KnownVariables
from kubelint_gpu.sources.render import Obstacle, Spot
from kubelint_gpu.sources.rendering_program import MOST_OUTPUT

_BROKEN = "with the values of its variables the result is no YAML"


class FilledOrigin(Origin):
    """The origin of an object with variables: `raw` is the object before they were filled in, `origin` its origin.

    A field with a variable leads to the variable's value, every other field to where it was written.
    """

    def __init__(self, origin: Origin, raw: Document, document: Document, known: KnownVariables) -> None:
        super().__init__(raw.value, origin.traceable, origin.fallback, origin.path, origin.renamed)
        self.top = known.spot(("spec", "path"))
        self._document = document
        self._known = known
        self._given: dict[tuple[str, int, int], Spot] = {}

    def spot(self, pointer: Pointer, role: Role = "value") -> Spot:
        """Return the value of the first variable in a field, else where the field was set last."""
        written = super().spot(pointer, role)
        value = value_at(self.value, pointer) if role == "value" else None
        if not isinstance(value, str) or "${" not in value or value == value_at(self._document.value, pointer):
            return self.top if self.answer(pointer, role).writer is self.fallback else written
        spot = next(filter(None, map(self._known.place, self._known.names(value))), None)
        if spot is None:
            return written
        self._given[spot.path, spot.span.line, spot.span.column] = written
        return spot

    def told(self, path: str, line: int, column: int) -> tuple[bool, tuple[tuple[Spot, str], ...]]:
        """Return, for the value of a variable, the field that uses it; for other places the answer of the origin."""
        written = self._given.get((path, line, column))
        if written is None:
            return super().told(path, line, column)
        return True, ((written, "the value of this variable is filled in"),)


def with_variables(
    reading: Reading, origins: Sequence[Origin | None], known: KnownVariables
) -> tuple[Reading | None, tuple[Origin | None, ...], tuple[Obstacle, ...]]:
    """Return the rendered objects with their variables filled in, their origins, and the problems.

    There are no objects if Flux refuses one of them.
    """
    parts: list[str] = []
    refused: list[Obstacle] = []
    last = 0
    for document, origin in zip(reading.documents, origins, strict=True):
        start, end = document.chunk
        parts.append(reading.text[last:start])
        last = end
        try:
            parts.append(known.fill(reading.text[start:end], document))
        except SubstitutionError as error:
            spot = origin.spot(("kind",), "key") if origin is not None else known.spot(("spec", "postBuild"))
            refused.append(Obstacle(spot.path, spot.span, f"Flux refuses a variable of this object: {error}"))
    filled = read(reading.path, "".join((*parts, reading.text[last:])).encode(), max_bytes=MOST_OUTPUT, skimmed=SKIMMED)
    spot = known.spot(("spec", "postBuild"))
    refused += (Obstacle(spot.path, spot.span, f"{_BROKEN}: {problem.message}") for problem in filled.problems)
    if refused or len(filled.documents) != len(reading.documents):
        return None, (), tuple(refused) or (Obstacle(spot.path, spot.span, _BROKEN),)
    found = tuple(
        FilledOrigin(origin, raw, document, known) if origin is not None else None
        for origin, raw, document in zip(origins, reading.documents, filled.documents, strict=True)
    )
    return filled, found, tuple(known.missing())
