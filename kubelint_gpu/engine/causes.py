"""Findings with one cause: which drafts belong together, the change that fixes all, and how they are reported."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.put_off import OF_NEW_PODS
from kubelint_gpu.findings.catalogue import rule
from kubelint_gpu.findings.finding import ASKED, SEVERITIES, WHO, Finding, Fix, Related, Shared
from kubelint_gpu.groups import grouped
from kubelint_gpu.messages.wording import bare, listed, owner_name, owner_names
from kubelint_gpu.values import replace

_APART = 3
"""So many findings with one cause stand by themselves, each at its object."""


def shared_of(draft: Diagnostic, unit: str) -> Shared | None:
    """Return the facts that a draft shares with others of the unit; by default, those with the same message."""
    if draft.manifest is None:
        return None
    own = draft.shared or Shared(draft.message, (WHO, f": {draft.message}"))
    cause = repr((draft.code, draft.certainty, draft.moment, own.cause))
    of_new_pods = (draft.manifest.object,) if OF_NEW_PODS in rule(draft.code).tags else ()
    waits, follows = (tuple((unit, one) for one in some_of) for some_of in (draft.waits or of_new_pods, draft.follows))
    return replace(own, cause=cause, unit="" if own.of_run else unit, waits=waits, follows=follows)


def of_one_cause(drafts: Sequence[Diagnostic]) -> list[tuple[int, ...]]:
    """Groups of indices of drafts with one cause, about different objects."""
    groups: dict[tuple[str, str, str], dict[str, int]] = defaultdict(dict)
    for place, draft in enumerate(drafts):
        if draft.shared is not None and draft.manifest is not None:
            found = groups[draft.code, draft.certainty, draft.shared.cause]
            found.setdefault(draft.manifest.object, place)
    return [tuple(group.values()) for group in groups.values() if len(group) > 1]


def joint_proposals(drafts: Sequence[Diagnostic]) -> Iterator[FixCandidate]:
    """Yield the changes that can be made in all objects of some drafts at once."""
    first, *rest = ({one.joint: one for one in draft.proposals if one.joint} for draft in drafts)
    for title, proposal in first.items():
        every = [proposal, *(one[title] for one in rest if title in one)]
        if len(every) == len(drafts):
            edits = partial(lambda every: [edit for one in every for edit in one.edits()], every)
            yield FixCandidate(title, proposal.safety, edits, effect=proposal.joint_effect)


def told_once(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Merge findings of one cause into one that names their objects and the consequences."""
    every = sorted(findings, key=_weight)
    waits = {key: one for one in reversed(every) if not _follows(one) for key in _waits(one)}
    further, roots, parts = [], dict[tuple[str, str], tuple[str, str]](), set[int]()
    # what is a consequence can have consequences itself
    for number, one in sorted(enumerate(every), key=lambda pair: not _waits(pair[1])):
        main, new = one, [key for key in _waits(one) if key not in waits]
        if _is_part(one, waits):
            first = _follows(one)[0]
            main, root = waits[first], roots.get(first, first)
            parts.add(number)
            further.append((root, one))
            roots.update(dict.fromkeys(new, root))
        waits.update(dict.fromkeys(new, main))
    found = _by_cause(one for number, one in enumerate(every) if number not in parts)
    places = {key: at for at, main in reversed([*enumerate(found)]) for key in _waits(main)}
    grouped_parts = grouped((places[root], one) for root, one in further)
    return tuple(_with_parts(one, _by_cause(grouped_parts.get(at, ()))) for at, one in enumerate(found))


def _waits(finding: Finding) -> tuple[tuple[str, str], ...]:
    return finding.shared.waits if finding.shared is not None else ()


def _follows(finding: Finding) -> tuple[tuple[str, str], ...]:
    return finding.shared.follows if finding.shared is not None else ()


def _weight(finding: Finding) -> int:
    return -SEVERITIES.index(finding.severity)


def _is_part(finding: Finding, waits: Mapping[tuple[str, str], Finding]) -> bool:
    """Whether a finding is a consequence of others that are at least as severe."""
    follows = _follows(finding)
    return bool(follows) and all(key in waits and _weight(waits[key]) <= _weight(finding) for key in follows)


def _with_parts(finding: Finding, parts: Sequence[Finding]) -> Finding:
    """The finding with other consequences of its cause as related places."""
    told = (Related(one.place, f"{_about(one, finding)} ({one.code})", one.code) for one in parts)
    names = (name for one in (finding, *parts) for name in (one.object, *one.others))
    others = tuple(dict.fromkeys(name for name in names if name and name != finding.object))
    return replace(finding, related=(*finding.related, *told), others=others) if parts else finding


def _about(part: Finding, finding: Finding) -> str:
    """The message of a consequence, with its object if that differs from the finding's."""
    name = owner_name(part.object)
    return part.message if part.object == finding.object or part.others else f"{name}: {part.message}"


def _by_cause(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Merge findings of one cause into one that names all of their objects."""
    groups: dict[object, list[Finding]] = {}
    for number, finding in enumerate(findings):
        shared = finding.shared
        key = number if shared is None else (shared.unit, shared.cause, finding.severity)
        groups.setdefault(key, []).append(finding)
    return tuple(_of_objects(one for group in groups.values() for one in _together(group)))


def _of_objects(findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yield the findings; of several templates of one object at one line, only one, because one change fixes all."""
    groups: dict[object, list[Finding]] = {}
    for number, one in enumerate(findings):
        key: object = (one.code, one.object, one.place, one.cause, one.severity, one.certainty, one.moment)
        # without a template of its own it is one of a kind
        groups.setdefault(key if one.part else number, []).append(one)
    for group in groups.values():
        parts = {one.part for one in group}
        yield from [_of_templates(group)] if len(parts) == len(group) > 1 else group


def _of_templates(group: Sequence[Finding]) -> Finding:
    """Return the first finding, with the differing messages of the others and with the fixes that fix all of them."""
    first, *rest = group
    told = [Related(one.place, f"{_role(one)}: {one.message}") for one in rest if one.message != first.message]
    return replace(first, related=(*first.related, *told), fixes=_of_all(group), shared=joined(group))


def _role(finding: Finding) -> str:
    role = _subject_name(finding).partition(" (")[2].rstrip(")")
    return f"{role} pods" if role else "another template"


def _together(group: Sequence[Finding]) -> Sequence[Finding]:
    shared = group[0].shared
    names = list(dict.fromkeys(map(_subject_name, group)))
    asked = sum(one.shared.asked for one in group if one.shared is not None)
    more = shared is not None and shared.has is not None and asked > shared.has
    if shared is None or len(names) == 1 or (ASKED in shared.told and shared.has is not None and not more):
        # what they ask for altogether is there
        return group
    surely = more and not shared.unsure and group[0].certainty == "possible"
    if len(names) <= _APART and not (surely or shared.of_run):
        return group
    first, *rest = ordered = sorted(group, key=lambda one: (one.place, one.object))
    if surely:
        # each may have the room, and not all of them: one of the lowest priority finds none, most often the last
        first = min(reversed(ordered), key=_priority)
        rest = [one for one in ordered if one is not first]
        only = all(_priority(one) > _priority(first) or one.object == first.object for one in rest)
        first = replace(first, certainty="certain" if only else "possible", severity=rule(first.code).severity)
    return [_as_one(first, rest, group, more=more)]


def _as_one(first: Finding, rest: Sequence[Finding], group: Sequence[Finding], *, more: bool) -> Finding:
    """The first finding of a group as that of all; `more` says that they ask for more in all than there is."""
    shared, ordered = first.shared, sorted(group, key=lambda one: (one.place, one.object))
    if shared is None:
        return first
    asked = sum(one.shared.asked for one in group if one.shared is not None)
    names = _names([*map(_subject_name, ordered)])
    # of many only some are named, first the one at which the finding stands
    names = _names([*map(_subject_name, (first, *rest))]) if names.endswith(", ...)") else names
    amounts = (bare(shared.resource, one) for one in (asked, asked - (shared.has or 0)))
    filled = (names, *amounts)
    message, advice = (
        "".join(filled[one] if isinstance(one, int) else one for one in parts) for parts in (shared.told, shared.help)
    )
    others = (name for one in rest for name in (one.object, *one.others) if name != first.object)
    return replace(
        first,
        message=message,
        help=(advice,) if more and advice else first.help,
        related=(
            *_common(group),
            *(Related(one.place, _part_of(one)) for one in ordered if one.place != first.place or shared.resource),
        ),
        cycle=(
            *(f"{owner_name(one.object)}: {one.cycle[0]}" for one in (first, *rest) if one.cycle),
            *first.cycle[1:][-1:],
        ),
        fixes=_of_all(group),
        shared=joined(group),
        others=tuple(dict.fromkeys(others)),
    )


def _part_of(finding: Finding) -> str:
    """`Deployment ml/a, too`, or its share of the sum."""
    name, shared = owner_name(_subject_name(finding)), finding.shared
    if shared is None or not shared.resource:
        return f"{name}, too"
    return f"{name} asks for {bare(shared.resource, shared.asked)} {shared.resource}"


def joined(group: Sequence[Finding]) -> Shared | None:
    """What the first finding shares, with the waiting pods and causes of all findings of the group."""
    waits, follows = (tuple(dict.fromkeys(key for one in group for key in keys(one))) for keys in (_waits, _follows))
    shared = group[0].shared
    return replace(shared, waits=waits, follows=follows) if shared is not None else None


def _subject_name(finding: Finding) -> str:
    return (finding.shared.who if finding.shared is not None else "") or finding.object


def _priority(finding: Finding) -> int:
    return finding.shared.priority if finding.shared is not None else 0


def _names(objects: Sequence[str]) -> str:
    """`Deployments ml/a and ml/b`, `48 Deployments (ml/a, ml/b, ...)`; each with its kind if there are several kinds.

    Templates of one object are named by their roles: `the leader and worker pods of LeaderWorkerSet ml/a`.
    """
    roles: dict[str, list[str]] = {}
    for one in objects:
        name, _, role = one.partition(" (")
        roles.setdefault(name, []).extend(filter(None, [role.rstrip(")")]))
    if len(roles) == 1 and len(objects) > 1:
        (name,) = roles
        return f"the {listed(roles[name])} pods of {owner_name(name)}"
    objects = [f"{name} ({listed(each)})" if each else name for name, each in roles.items()]
    return owner_names(objects)


def _common(group: Sequence[Finding]) -> tuple[Related, ...]:
    """The related places that all findings of a group have."""
    each = [frozenset(one.related) for one in group]
    return tuple(one for one in group[0].related if all(one in other for other in each))


def _of_all(group: Sequence[Finding]) -> tuple[Fix, ...]:
    """Return the fixes that fix all findings at once, and those that are equal for each of them."""
    each = ([_like(fix, one) for one in group] for fix in group[0].fixes)
    return tuple(_of_each([one for one in fixes if one is not None]) for fixes in each if None not in fixes)


def _like(fix: Fix, finding: Finding) -> Fix | None:
    same = (
        one for one in finding.fixes if one.edits == fix.edits or (one.title, one.safety) == (fix.title, fix.safety)
    )
    return next(same, None)


def _of_each(fixes: Sequence[Fix]) -> Fix:
    edits = tuple(dict.fromkeys(edit for fix in fixes for edit in fix.edits))
    return replace(fixes[0], verified=all(fix.verified for fix in fixes), edits=edits)
