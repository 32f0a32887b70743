"""Code actions: single fixes, suppressions, and all safe fixes at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from kubelint_gpu.lsp.document.diagnostics import SOURCE

QUICK_FIX = "quickfix"
FIX_ALL = f"source.fixAll.{SOURCE}"
ToEdit = Callable[[dict[str, list[dict[str, Any]]]], dict[str, Any]]


def wants(only: Sequence[str] | None, kind: str) -> bool:
    """Whether the editor wants actions of a kind. A wanted kind includes the kinds below it."""
    return not only or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)


def concerned(
    diagnostics: Sequence[dict[str, Any]], at: dict[str, Any], named: Sequence[tuple[str, int, int]]
) -> list[dict[str, Any]]:
    """Return the diagnostics that an editor asks about: those that a range touches, and those that it names."""
    return [each for each in diagnostics if each.get("code") and (_touches(each["range"], at) or _name(each) in named)]


def fixes(diagnostics: Sequence[dict[str, Any]], to_edit: ToEdit) -> Iterator[dict[str, Any]]:
    """Yield the fixes. Editors may apply the first safe fix of each finding without asking."""
    for diagnostic in diagnostics:
        preferred = False
        for fix in diagnostic["data"]["fixes"]:
            notes = [*([] if fix["verified"] else ["not verified"]), *([] if fix["safe"] else ["may change what runs"])]
            title = f"{diagnostic['code']}: {fix['title']}" + (f" ({', '.join(notes)})" if notes else "")
            edits: dict[str, list[dict[str, Any]]] = {}
            for edit in fix["edits"]:
                edits.setdefault(edit["path"], []).append({"range": edit["range"], "newText": edit["newText"]})
            is_preferred = fix["safe"] and not preferred
            preferred = preferred or is_preferred
            yield {
                "title": title,
                "kind": QUICK_FIX,
                "diagnostics": [diagnostic],
                "isPreferred": is_preferred,
                "edit": to_edit(edits),
            }


def suppressions(
    diagnostics: Sequence[dict[str, Any]], edits: Sequence[dict[str, Any] | None], path: str, to_edit: ToEdit
) -> Iterator[dict[str, Any]]:
    """Yield `ignore here` for each finding that a comment can suppress."""
    for diagnostic, edit in zip(diagnostics, edits, strict=True):
        if edit is not None:
            title = f"{diagnostic['code']}: ignore here"
            yield {"title": title, "kind": QUICK_FIX, "diagnostics": [diagnostic], "edit": to_edit({path: [edit]})}


def all_safe() -> dict[str, Any]:
    """Return the action for all safe fixes of the document, without its edits."""
    return {"title": "Make all safe fixes of kubelint-gpu", "kind": FIX_ALL}


def has_safe(diagnostics: Sequence[dict[str, Any]]) -> bool:
    """Whether a finding has a safe fix."""
    return any(fix["safe"] for each in diagnostics for fix in each.get("data", {}).get("fixes", ()))


def _name(diagnostic: dict[str, Any]) -> tuple[str, int, int]:
    start = diagnostic["range"]["start"]
    return diagnostic["code"], start["line"], start["character"]


def _touches(first: dict[str, Any], second: dict[str, Any]) -> bool:
    return _at(first["start"]) <= _at(second["end"]) and _at(second["start"]) <= _at(first["end"])


def _at(position: dict[str, int]) -> tuple[int, int]:
    return position["line"], position["character"]
