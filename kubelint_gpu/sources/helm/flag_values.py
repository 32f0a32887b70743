"""The values that `--set` and `--set-json` of Helm give. Lists and items of lists are left to Helm."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubelint_gpu.documents import read
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.helm.chart_values import STEPS, ValuesPart, overlay
from kubelint_gpu.sources.helm.helm_program import Release
from kubelint_gpu.sources.render import Spot
from kubelint_gpu.values import replace

_NAME = r"[^,=\[\]{}]+"
_JSON = pattern(rf"{_NAME}=.*", re.DOTALL)
_PAIRS = pattern(rf"{_NAME}=[^,={{}}\\]*(?:,{_NAME}=[^,={{}}\\]*)*")
_TYPED = pattern(r"true|false|null|0|-?[1-9]\d*")


def values_of_flags(release: Release) -> Iterator[ValuesPart]:
    """Yield the values of the flags of a release, in increasing precedence."""
    spots = release.json_spots or [None] * len(release.json_sets)
    for text, spot in zip(release.json_sets, spots, strict=True):
        if _JSON().fullmatch(text) is not None:
            yield _part("--set-json", text, spot)
    for text in release.sets:
        if _PAIRS().fullmatch(text) is not None:
            yield from (_part("--set", pair) for pair in text.split(","))


def without_values(release: Release) -> Release:
    """Return a release without the flags whose values `values_of_flags` yields."""
    sets = tuple(text for text in release.sets if _PAIRS().fullmatch(text) is None)
    json_sets = tuple(text for text in release.json_sets if _JSON().fullmatch(text) is None)
    return replace(release, sets=sets, json_sets=json_sets, json_spots=())


def _part(flag: str, pair: str, spot: Spot | None = None) -> ValuesPart:
    name, _, text = pair.partition("=")
    document = next((one for one in read("", text.encode(errors="replace")).documents), None)
    typed = flag != "--set" or _TYPED().fullmatch(text) is not None
    pointer = tuple(step.replace("\\.", ".") for step in STEPS().split(name))
    value = overlay({}, pointer, document.value if typed and document is not None else text)
    return ValuesPart("", value, flag=f"{flag} {name}", spot_of_flag=spot)
