"""Code actions: fixes, suppressions, and everything safe at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kubelint_gpu.lsp.document.diagnostics import SOURCE

QUICK_FIX = "quickfix"
FIX_ALL = f"source.fixAll.{SOURCE}"
ToEdit = Callable[[dict[str, list[dict[str, Any]]]], dict[str, Any]]


def wants(only: Sequence[str] | None, kind: str) -> bool:
    """Whether actions of a kind are asked for; one asks for all the kinds below it."""
    return not only or any(kind == one or kind.startswith(f"{one}.") for one in only)


def concerned(
    found: Sequence[dict[str, Any]], at: dict[str, Any], named: Sequence[tuple[str, int, int]]
) -> list[dict[str, Any]]:
    """The diagnostics that an editor asks about: those that a range touches, and those that it names."""
    return [one for one in found if one.get("code") and (_touches(one["range"], at) or _name(one) in named)]


def fixes(found: Sequence[dict[str, Any]], to_edit: ToEdit) -> Iterator[dict[str, Any]]:
    """The fixes; the first safe one of each finding is the one that editors may make without asking."""
    for one in found:
        preferred = False
        for fix in one["data"]["fixes"]:
            notes = [*([] if fix["verified"] else ["not verified"]), *([] if fix["safe"] else ["may change what runs"])]
            title = f"{one['code']}: {fix['title']}" + (f" ({', '.join(notes)})" if notes else "")
            edits: dict[str, list[dict[str, Any]]] = {}
            for edit in fix["edits"]:
                edits.setdefault(edit["path"], []).append({"range": edit["range"], "newText": edit["newText"]})
            is_preferred = fix["safe"] and not preferred
            preferred = preferred or is_preferred
            yield {
                "title": title,
                "kind": QUICK_FIX,
                "diagnostics": [one],
                "isPreferred": is_preferred,
                "edit": to_edit(edits),
            }


def suppressions(
    found: Sequence[dict[str, Any]], edits: Sequence[dict[str, Any] | None], path: str, to_edit: ToEdit
) -> Iterator[dict[str, Any]]:
    """`ignore here` for each finding that a comment can suppress."""
    for one, edit in zip(found, edits, strict=True):
        if edit is not None:
            title = f"{one['code']}: ignore here"
            yield {"title": title, "kind": QUICK_FIX, "diagnostics": [one], "edit": to_edit({path: [edit]})}


def all_safe() -> dict[str, Any]:
    """Every safe fix of the document, without its edits."""
    return {"title": "Make all safe fixes of kubelint-gpu", "kind": FIX_ALL}


def has_safe(found: Sequence[dict[str, Any]]) -> bool:
    """Whether any finding has a safe fix."""
    return any(fix["safe"] for one in found for fix in one.get("data", {}).get("fixes", ()))


def _name(one: dict[str, Any]) -> tuple[str, int, int]:
    start = one["range"]["start"]
    return one["code"], start["line"], start["character"]


def _touches(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return _at(one["start"]) <= _at(other["end"]) and _at(other["start"]) <= _at(one["end"])


def _at(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]
