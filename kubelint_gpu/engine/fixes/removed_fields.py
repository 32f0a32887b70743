"""What a layer took out of a rendered object and a finding would not be there with: named by trying it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kubelint_gpu.documents import editing, value_at
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.diagnostic import Diagnostic, Identity
from kubelint_gpu.engine.fixes.trials import Trials, cured, edited
from kubelint_gpu.findings.finding import Related
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest, place_of

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import TakenAway

_MOST = 24
_MOST_TEXT = 60


def removed(unit: ApplySet, drafts: Sequence[Diagnostic], trials: Trials) -> dict[Identity, tuple[Related, ...]]:
    """The lines that took away what a draft would not be there with, of drafts by what stays the same of them."""
    if not unit.rendered or not drafts:
        return {}
    found: dict[Identity, tuple[Related, ...]] = {}
    concerned = dict.fromkeys(draft.manifest for draft in drafts if draft.manifest is not None)
    for manifest, removal in islice(_removals(tuple(concerned)), _MOST):
        if not trials.spend():
            break
        try:
            changed = edited(unit, _put_back(manifest, removal))
        except NotEditable:
            continue
        spot = removal.writer.spot()
        related = Related(place_of(spot.path, spot.span), _told(removal))
        for one in cured(changed, drafts) if changed is not None else ():
            found[one] = (*found.get(one, ()), related)
    return found


def _removals(manifests: Sequence[Manifest]) -> Iterator[tuple[Manifest, TakenAway]]:
    for manifest in manifests:
        for removal in manifest.origin.removals() if manifest.origin is not None else ():
            yield manifest, removal


def _put_back(manifest: Manifest, removal: TakenAway) -> list[editing.Edit]:
    item, pointer = manifest.item, removal.pointer
    missing = [value for key, value in removal.entries if key is None]
    if not missing:
        return [editing.set_key(item, pointer, key, value) for key, value in removal.entries if key is not None]
    return [editing.set_key(item, pointer[:-1], str(pointer[-1]), [*value_at(item.value, pointer), *missing])]


def _told(removal: TakenAway) -> str:
    where = ".".join(map(str, removal.pointer))
    said = []
    for key, value in removal.entries:
        name = f"{where}.{key}" if key is not None and where else key or f"of {where}"
        text = json.dumps(value) if not isinstance(value, str) else value
        said.append(f"{name}: {text}" if len(text) <= _MOST_TEXT else name)
    return f"{', '.join(said)} is taken away here; with it this would not be found"
