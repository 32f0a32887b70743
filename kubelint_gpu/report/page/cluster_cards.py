"""The declared cluster: a card for each class of nodes, a cell for each GPU."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.findings.picture import ClassPicture, ClusterPicture, Holding, NodeGroup, PoolPicture, Row
from kubelint_gpu.report.content import Report
from kubelint_gpu.report.page.markup import counted, sentence, some, text, unit
from kubelint_gpu.report.page.owners import Owners, cells
from kubelint_gpu.report.page.player import MOST_CELLS

_MOST_OWNERS, _MOST_TAINTS, _MOST_POOLS = 40, 6, 24


def cluster(report: Report, owners: Owners) -> Iterator[str]:
    """Yield the cards of every declared cluster, and the owners of the letters on them."""
    found = report.clusters
    title = "The cluster" if len(found) <= 1 else f"The {len(found)} clusters"
    yield f'<aside id="cluster" tabindex="0" aria-labelledby="cluster-title">\n<h2 id="cluster-title">{title}</h2>\n'
    if not found:
        known = "The declared cluster cannot be used" if report.failed else "No cluster was declared"
        yield (
            f'<div class="card"><p>{known}, so nothing here depends on nodes.</p>\n'
            "<p>With <code>--inventory cluster.yaml</code> every pod is tried on every node, "
            "and every rollout is played through.</p></div>\n</aside>\n"
        )
        return
    resources = list(
        dict.fromkeys(
            row.resource
            for one in found
            for kind in one.classes
            for group in kind.groups
            for row in group.rows
            if row.devices
        )
    )
    boxes = f" Each box is a GPU or its like ({text(some(resources))})." if resources else ""
    yield f'<p class="small">As it was declared, before these manifests.{boxes}</p>\n'
    inner = [piece for one in found for piece in _cluster_cards(one, owners, several=len(found) > 1)]
    yield '<ul class="key" aria-label="Legend">\n'
    yield '<li><span class="cell free" aria-hidden="true"></span>free</li>\n'
    kinds = [kind for one in found for kind in one.classes]
    holders = list(dict.fromkeys(one.owner for kind in kinds for group in kind.groups for one in group.holdings))
    for owner in sorted(holders, key=owners.number)[:_MOST_OWNERS]:
        cell = f'<span class="cell h{owners.hue(owner)}" aria-hidden="true">{owners.letter(owner)}</span>'
        yield f"<li>{cell}{text(owner)}</li>\n"
    if len(holders) > _MOST_OWNERS:
        yield f"<li>and {len(holders) - _MOST_OWNERS} more</li>\n"
    yield "</ul>\n"
    yield from inner
    yield "</aside>\n"


def _cluster_cards(found: ClusterPicture, owners: Owners, *, several: bool) -> Iterator[str]:
    version = f"Kubernetes {found.version}" if found.version else ""
    others = "" if found.complete else "and there may be others"
    name = "" if several else found.name
    facts = [text(part) for part in (name, counted(found.nodes, "node"), others, version) if part]
    if several:
        yield f'<h3 class="declared">{text(found.name)}</h3>\n'
    yield f'<p class="small">{" · ".join(facts)}</p>\n'
    if found.pools or found.told:
        yield from _demand(found.pools, found.told, "h4" if several else "h3")
    for kind in found.classes:
        yield from _card(kind, owners, "h4" if several else "h3")
    if found.left_out:
        yield f'<p class="small">{counted(found.left_out, "further node")} of other kinds left out.</p>\n'


def _demand(pools: Sequence[PoolPicture], told: Sequence[tuple[str, Sequence[str]]], heading: str) -> Iterator[str]:
    """Yield the total requests of all manifests, by GPU model and pool, and what `capacity` says below its table."""
    yield f'<section class="card">\n<{heading}>With all of these manifests</{heading}>\n'
    for one in pools[:_MOST_POOLS]:
        waits = f", {one.pending} more asked for" if one.pending else ""
        held = f"{one.others} held by others, {one.declared} by these manifests at rest, {max(0, one.free)} free{waits}"
        rolls = f"Rollouts take {one.one_by_one} more one after the other, {one.at_once} all at once."
        short = one.pending or one.free < one.at_once
        yield f'<p class="small">{text(one.name)}: {counted(one.gpus, "GPU")}, {held}.</p>\n'
        if one.at_once:
            yield f'<p class="small{" alarm" if short else ""}">{rolls}</p>\n'
    if len(pools) > _MOST_POOLS:
        yield f'<p class="small">and {len(pools) - _MOST_POOLS} more</p>\n'
    for title, sentences in told:
        yield f'<details><summary>{text(title)} ({len(sentences):,})</summary>\n<ul class="small told">\n'
        yield from (f"<li>{text(one)}</li>\n" for one in sentences[:_MOST_POOLS])
        if len(sentences) > _MOST_POOLS:
            yield f"<li>and {len(sentences) - _MOST_POOLS} more</li>\n"
        yield "</ul></details>\n"
    yield "</section>\n"


def _card(found: ClassPicture, owners: Owners, heading: str) -> Iterator[str]:
    bad = found.unhealthy or found.cordoned
    yield f'<section class="card class{" avoid" if bad else ""}">\n'
    yield f"<{heading}>{text(found.names)}{_times(found.count)}</{heading}>\n"
    sizes = [
        found.devices or "no GPU",
        f"{found.cpu} CPU" if found.cpu else "",
        f"{found.memory} memory" if found.memory else "",
    ]
    yield f'<p class="small">{" · ".join(text(size) for size in sizes if size)}</p>\n'
    if found.unhealthy:
        reason = found.unhealthy
        ill = sentence(reason) if "unhealthy" in reason else f"Unhealthy: {reason}"
        yield f'<p class="small alarm">{text(ill)}</p>\n'
    if found.cordoned:
        yield '<p class="small alarm">Cordoned: takes no new pods</p>\n'
    if found.taints:
        shown = ", ".join(text(taint) for taint in found.taints[:_MOST_TAINTS])
        yield f'<p class="small">Keeps pods off that do not tolerate <code>{shown}</code></p>\n'
    for group in found.groups if found.groups[0].rows else ():
        yield from _group(found, group, owners)
    if found.left_out:
        yield f'<p class="small">and {counted(found.left_out, "more node")}</p>\n'
    yield "</section>\n"


def _group(found: ClassPicture, group: NodeGroup, owners: Owners) -> Iterator[str]:
    yield '<div class="group">\n'
    if len(found.groups) > 1:
        yield f'<p class="node">{text(group.names)}{_times(group.count)}</p>\n'
    for index, row in enumerate(group.rows):
        holdings = [one for one in group.holdings if one.amounts[index]]
        held = row.held(index, holdings)
        yield from _cells(row, index, held, holdings, owners)
        each = " each" if group.count > 1 else ""
        taken = row.positions(name for one in holdings for name in one.things[index]) if row.units else ()
        left = [unit[0] for at, unit in enumerate(row.units) if at not in taken]
        free = f"{max(0, row.total - held)} of {row.total} {unit(row)} free{f' ({some(left)})' if left else ''}"
        yield f'<p class="small">{text(free)}{each}{_whose(index, holdings)}</p>\n'
    if group.others:
        yield f'<p class="small">{counted(group.others, "pod")} without a GPU</p>\n'
    yield "</div>\n"


def _cells(row: Row, place: int, held: int, holdings: Sequence[Holding], owners: Owners) -> Iterator[str]:
    if row.total > MOST_CELLS:
        yield f'<progress max="{row.total}" value="{held}" aria-label="held"></progress>\n'
        return
    boxes = "".join(
        '<span class="cell free"></span>'
        if holder is None
        else f'<span class="cell h{owners.hue(holder[0])}">{owners.letter(holder[0])}</span>'
        for holder in cells(row, place, holdings, [None] * row.total)
    )
    yield f'<div class="cells" aria-hidden="true">{boxes}</div>\n'


def _whose(place: int, holdings: Sequence[Holding]) -> str:
    things = [some(one.things[place]) if one.things else "" for one in holdings]
    told = [f"{one.owner} ({named or one.amounts[place]})" for one, named in zip(holdings, things, strict=True)]
    return f"; held by {text(some(told))}" if told else ""


def _times(count: int) -> str:
    return f' <span class="times">&times; {count:,}</span>' if count > 1 else ""
