"""What `rule.yaml` says, as tables of the page."""

from __future__ import annotations

from typing import Any

_LOWER = {"error": "warning", "warning": "note", "note": "note"}
_FIX = {
    "safe": "safe: `--fix` makes it",
    "unsafe": "unsafe: `--fix --unsafe-fixes` makes it",
    "none": "none",
}
_SILENCE = {
    "kube-linter": 'annotation `ignore-check.kube-linter.io/{}: "<reason>"`',
    "kube-score": "annotation `kube-score/ignore: {}`",
    "kubescape": "an exception for control {} in the file given to `kubescape scan --exceptions`",
    "polaris": 'annotation `polaris.fairwinds.com/{}-exempt: "true"`',
}
LINTERS = frozenset(_SILENCE)
STANCES = ("same", "near", "opposite")


def properties(description: dict[str, Any]) -> str:
    """The table at the top of a page."""
    severity = description["severity"]
    lower = _LOWER[severity]
    possible = f"; {lower} where it is possible and not certain" if lower != severity else ""
    rows = (
        ("severity", f"{severity}{possible}"),
        ("fix", _FIX[description["fix"]]),
        ("needs an inventory", "yes" if description["needs-inventory"] else "no"),
        ("since", description["since"]),
        ("tags", ", ".join(description["tags"])),
    )
    return _table(("property", "value"), rows)


def related(description: dict[str, Any]) -> str:
    """What other linters say, and how to silence those that advise the opposite."""
    rows = [
        (
            f"{found['linter']} `{found['rule']}`",
            str(found["stance"]),
            found["says"],
            _SILENCE[found["linter"]].format(found["rule"]) if found["stance"] == "opposite" else "",
        )
        for found in description["related"]
    ]
    if not rows:
        return "kube-linter, kube-score, kubescape and polaris have no check of this."
    return _table(("other linter", "stance", "what it says", "to silence it"), rows)


def _table(head: tuple[str, ...], rows: Any) -> str:
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join('---' for _ in head)} |"]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])
