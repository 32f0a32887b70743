"""The trace of a finding as steps to walk through: a list for every reader, and data for the script."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.findings.picture import Holding, NodeMoment, RolloutFrame, RolloutPicture, StageNode
from kubelint_gpu.report.page.markup import counted, some, text, unit
from kubelint_gpu.report.page.owners import Owners, cells

MOST_STEPS = 200
MOST_CELLS = 16
"""Devices of a node that are drawn one by one; more are a bar."""

_UNPLACED = ("nominated", "pending", "waiting", "refused")
_WORDS = {
    "nominated": "has evicted others and waits for their room",
    "pending": "waits for this node",
    "waiting": "waits for a node",
    "refused": "refused, not even created",
    "evicted": "evicted, not gone yet",
}


def player(finding: Finding, number: int, owners: Owners) -> Iterator[str]:
    """Yield the steps; if there are pictures, also the controls that the script activates."""
    certain = finding.certainty == "certain"
    title = "What would happen, step by step" if certain else "One way it can happen, step by step"
    drawn = finding.picture is not None
    yield f'<section class="player" id="p{number}" aria-label="Finding {number}: {title}">\n<h4>{title}</h4>\n'
    if finding.picture is not None:
        yield from _controls(number, finding.picture, owners)
    yield '<ol class="steps">\n'
    for index, step in enumerate(finding.trace[:MOST_STEPS]):
        told = f'<span class="actor">{text(step.actor)}</span> <span class="what">{text(step.message)}</span>'
        held = ""
        if finding.picture is not None:
            held = f'<span class="held">{text(_held(finding.picture, index))}</span>'
        yield f"<li>{told}{held}</li>\n"
    yield "</ol>\n"
    if len(finding.trace) > MOST_STEPS:
        yield f"<p>{len(finding.trace) - MOST_STEPS} more steps are left out.</p>\n"
    if drawn:
        yield '<p class="live hidden" role="status" aria-live="polite"></p>\n'
    yield "</section>\n"


def _controls(number: int, picture: RolloutPicture, owners: Owners) -> Iterator[str]:
    last = min(len(picture.steps), MOST_STEPS)
    yield (
        '<div class="scripted walk" hidden>\n'
        '<div class="controls" role="group" aria-label="Walk through the steps">'
        '<button type="button" class="previous">&lsaquo; Back</button>'
        f'<label for="s{number}" class="hidden">Step</label>'
        f'<input type="range" id="s{number}" min="1" max="{last}" value="1">'
        '<button type="button" class="next">Next &rsaquo;</button>'
        f'<span class="count">Step <b>1</b> of {last}</span></div>\n'
        '<p class="now"></p>\n'
        '<div class="stage" aria-hidden="true"></div>\n'
    )
    whose = sorted(dict.fromkeys(owner for owner, *_ in _pods(picture)), key=owners.number)
    keys = "".join(
        f'<li><span class="cell h{owners.hue(owner)}" aria-hidden="true">{owners.letter(owner)}</span>'
        f"{text(owner)}</li>"
        for owner in whose[:MOST_CELLS]
    )
    yield f'<ul class="key" aria-label="Who is who">{keys}</ul>\n'
    if picture.left_out:
        more = counted(picture.left_out, "further node")
        yield f'<p class="small">{more} that take part are not drawn.</p>\n'
    yield "</div>\n"


def _held(picture: RolloutPicture, index: int) -> str:
    """Return a sentence with the holdings of each node at a step."""
    moment = picture.moments[picture.steps[index]]
    parts = []
    for node, now in zip(picture.nodes, moment.nodes, strict=True):
        name = node.names if node.count == 1 else f"each of {node.names}"
        if not now.joined:
            parts.append(f"{name}: not there yet")
            continue
        used = [f"{told} {unit(row)} held" for row, told in zip(node.rows, now.used, strict=True)]
        pods = [_named(one) for one in now.holdings]
        parts.append(f"{name}: {', '.join([*used, *pods]) or 'empty'}")
    parts += [f"without a node: {', '.join(map(_named, moment.waiting))}"] if moment.waiting else []
    return "; ".join(parts)


def _named(one: Holding) -> str:
    age = f"{one.age} " if one.age else ""
    pods = f"{one.count} {age}pods" if one.count > 1 else f"{age}pod"
    return f"{pods} of {one.owner} ({', '.join([_WORDS.get(one.phase, one.phase), *_held_devices(one)])})"


def _held_devices(one: Holding) -> list[str]:
    """Return the names of the devices that its claims hold."""
    names = [name for found in one.things for name in found]
    return [f"has {some(names)}"] if names else []


def picture_data(finding: Finding, owners: Owners) -> dict[str, Any] | None:
    """Return the data that the script draws: nodes, pods, and the holdings and devices of each moment."""
    picture = finding.picture
    if picture is None:
        return None
    pods = _pods(picture)
    known = {pod: index for index, pod in enumerate(pods)}
    before: list[list[list[tuple[str, str] | None]]] = [
        [[None] * (row.total if _drawn(row.devices, row.total) else 0) for row in node.rows] for node in picture.nodes
    ]
    moments = []
    for moment in picture.moments:
        before = [
            _cells(node, now, devices) for node, now, devices in zip(picture.nodes, moment.nodes, before, strict=True)
        ]
        moments.append(_moment(picture.nodes, moment, before, known))
    return {
        "nodes": [
            {
                "name": node.names if node.count == 1 else f"{node.names} \u00d7 {node.count}",
                "rows": [[unit(row), row.total, int(_drawn(row.devices, row.total))] for row in node.rows],
            }
            for node in picture.nodes
        ],
        "pods": [[owners.letter(owner), owners.hue(owner), owner, age, takes] for owner, age, takes in pods],
        "moments": moments,
        "steps": list(picture.steps[:MOST_STEPS]),
    }


def _drawn(devices: bool, total: int) -> bool:
    return devices and total <= MOST_CELLS


def _pods(picture: RolloutPicture) -> list[tuple[str, str, str]]:
    """Return the kinds of pods that appear: owner, old or new, and its requests."""
    found: dict[tuple[str, str, str], None] = {}
    for moment in picture.moments:
        for one in (*(one for now in moment.nodes for one in now.holdings), *moment.waiting):
            found.setdefault((one.owner, one.age, one.takes))
    return list(found)


def _cells(
    node: StageNode, now: NodeMoment, before: Sequence[list[tuple[str, str] | None]]
) -> list[list[tuple[str, str] | None]]:
    here = [one for one in now.holdings if one.phase not in _UNPLACED]
    return [
        cells(row, place, here, devices) if _drawn(row.devices, row.total) else []
        for place, (row, devices) in enumerate(zip(node.rows, before, strict=True))
    ]


def _moment(
    nodes: Sequence[StageNode],
    moment: RolloutFrame,
    drawn: Sequence[Sequence[Sequence[tuple[str, str] | None]]],
    known: dict[tuple[str, str, str], int],
) -> dict[str, Any]:
    first = {(owner, age): index for (owner, age, _), index in reversed(known.items())}
    return {
        "nodes": [
            {
                "joined": now.joined,
                "pods": [_pod(one, known) for one in now.holdings],
                "used": list(now.used),
                "held": [
                    row.held(place, [one for one in now.holdings if one.phase not in _UNPLACED])
                    for place, row in enumerate(node.rows)
                ],
                "cells": [[-1 if holder is None else first[holder] for holder in row] for row in devices],
            }
            for node, now, devices in zip(nodes, moment.nodes, drawn, strict=True)
        ],
        "waiting": [_pod(one, known) for one in moment.waiting],
    }


def _pod(one: Holding, known: dict[tuple[str, str, str], int]) -> list[Any]:
    phase = ", ".join([_WORDS.get(one.phase, one.phase), *_held_devices(one)])
    return [known[one.owner, one.age, one.takes], phase, one.count]
