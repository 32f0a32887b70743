"""The layers of a finding on a rendered object; merges findings of one cause that are seen through several overlays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from kubelint_gpu.engine.causes import joined
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.findings.finding import Finding, Place, Related
from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.wording import foremost, verb
from kubelint_gpu.sources.helm.sections import source_comment
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest, place_of


class OverlayFinding(Value):
    """A finding, its cause, and the overlay through which it was seen.

    Attributes:
        rendered: whether the unit is a render.
        overlay: the top of the render and its name; None if unknown.
        cluster: the name of its cluster, and where it is declared; None if there is only one.
        apart: the object, for a chart, whose renders give it the same name; else empty.
    """

    finding: Finding
    cause: str
    rendered: bool
    overlay: tuple[Place, str] | None
    cluster: tuple[Place, str] | None = None
    apart: str = ""


def seen_through(finding: Finding, draft: Diagnostic, unit: ApplySet) -> OverlayFinding:
    """The finding of a unit's draft, with its overlay and cluster."""
    is_chart = any(one.what == "chart" for one in unit.rendered)
    apart = (finding.object or "") if is_chart else ""
    return OverlayFinding(finding, draft.cause, bool(unit.rendered), _overlay(draft, unit), _cluster(unit.world), apart)


def layers(draft: Diagnostic) -> tuple[Related, ...]:
    """The other layers that wrote the field of the draft, the oldest first, and the overlay that is rendered.

    For objects that Helm rendered, the template.
    """
    origin = draft.manifest.origin if draft.manifest is not None else None
    if origin is None:
        template = template_of(draft.manifest)
        return (template,) if template is not None else ()
    place = draft.place
    sure, further = origin.told(place.path, place.line, place.column)
    related = [Related(place_of(spot.path, spot.span), said) for spot, said in further]
    top = place_of(origin.top.path, origin.top.span)
    if not sure:
        related.append(Related(top, f"rendered from there by {origin.path}; which line sets it is not certain"))
    elif top.path != place.path:
        related.append(Related(top, f"rendered by {origin.path}"))
    return tuple(one for one in dict.fromkeys(related) if one.place != place)


def merged(every: Iterable[OverlayFinding], units: Sequence[ApplySet] = ()) -> list[OverlayFinding]:
    """Merge findings with the same rule, cause and line in several overlays or clusters, and name each of them.

    A fix names further overlays of `units` that use what it edits.
    """
    groups: dict[Any, list[OverlayFinding]] = {}
    for number, one in enumerate(every):
        key: Any = number
        if one.rendered or one.cluster is not None:
            finding = one.finding
            key = (finding.code, finding.place, finding.severity, finding.certainty, one.cause, one.apart)
        groups.setdefault(key, []).append(one)
    rendered = {one.path: one for unit in units for one in unit.rendered}
    users = grouped((source.path, path) for path, one in rendered.items() for source in one.sources)
    found = [(_merged(group) if len(group) > 1 else group[0], group) for group in groups.values()]
    return [_with_clusters(_with_users(one, users), group) for one, group in found]


def _with_users(found: OverlayFinding, users: Mapping[str, list[str]]) -> OverlayFinding:
    """The finding, with the other overlays named that each fix changes: its cost there may be another."""
    mine, fixes = found.overlay[1] if found.overlay is not None else "", []
    for fix in found.finding.fixes:
        others = sorted({path for edit in fix.edits for path in users.get(edit.place.path, ())} - {mine})
        told = f"; {foremost(others)} {verb('change', len(others))}, too"
        fixes.append(replace(fix, title=f"{fix.title}{told}") if mine and others else fix)
    return replace(found, finding=replace(found.finding, fixes=tuple(fixes)))


def _with_clusters(found: OverlayFinding, group: Sequence[OverlayFinding]) -> OverlayFinding:
    """The finding with the clusters that its message is about, and the messages for the others."""
    if found.cluster is None or (found.finding.shared is not None and found.finding.shared.anywhere):
        return found
    message = found.finding.message
    names = list(dict.fromkeys(_name(one) for one in group if one.finding.message == message))
    others: dict[Related, None] = {}
    for one in group:
        # what is said of another overlay names its cluster there
        if one.cluster is not None and one.overlay == found.overlay and _name(one) not in names:
            others[Related(one.cluster[0], f"in the cluster {_name(one)}: {one.finding.message}")] = None
    told = f"{message} (cluster{'' if len(names) == 1 else 's'} {', '.join(names)})"
    return replace(found, finding=replace(found.finding, message=told, related=(*found.finding.related, *others)))


def _cluster(world: ClusterContext) -> tuple[Place, str] | None:
    if not world.name:
        return None
    paths = [reading.source.path for reading in world.readings if reading.source is not None]
    return place_of(paths[0] if paths else "", None), world.name


def _name(found: OverlayFinding) -> str:
    return found.cluster[1] if found.cluster is not None else ""


def _merged(group: Sequence[OverlayFinding]) -> OverlayFinding:
    first = group[0]
    related = list(first.finding.related)
    told = {first.overlay}
    for other in group[1:]:
        overlay = other.overlay
        if overlay is None or overlay in told:
            continue
        told.add(overlay)
        place, path = overlay
        same = other.finding.message == first.finding.message
        where = f"in {path}" + (f" (cluster {_name(other)})" if other.cluster is not None else "")
        related.append(Related(place, f"{where}, too" if same else f"{where}: {other.finding.message}"))
    everywhere = tuple(
        fix
        for fix in first.finding.fixes
        if all(any(fix.edits == one.edits for one in other.finding.fixes) for other in group[1:])
    )
    objects = [name for one in group for name in (one.finding.object, *one.finding.others)]
    others = tuple(name for name in dict.fromkeys(objects) if name != first.finding.object)
    finding = replace(first.finding, related=tuple(dict.fromkeys(related)), fixes=everywhere, others=others)
    return replace(first, finding=replace(finding, shared=joined([one.finding for one in group])))


def _overlay(draft: Diagnostic, unit: ApplySet) -> tuple[Place, str] | None:
    origin = draft.manifest.origin if draft.manifest is not None else None
    if origin is not None:
        return place_of(origin.top.path, origin.top.span), origin.path
    for rendered in unit.rendered:
        document = rendered.top.document
        source = rendered.top.reading.source
        if source is not None:
            return place_of(source.path, document.locate((), "key") if document is not None else None), rendered.path
    return None


def template_of(manifest: Manifest | None) -> Related | None:
    """The comment that names the template of a rendered object; None if there is none."""
    if manifest is None or manifest.origin is not None:
        return None
    found = source_comment(manifest.item.document)
    return Related(place_of(manifest.path, found[1]), f"rendered from {found[0]}") if found is not None else None
