"""A rule as SARIF describes it, within what GitHub shows of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubelint_gpu.findings.finding import RuleInfo, Severity

DESCRIPTION_LIMIT = 1024
TAG_LIMIT = 10

_PRECISION: dict[Severity, str] = {"error": "very-high", "warning": "high", "note": "medium"}
_PROBLEM: dict[Severity, str] = {"error": "error", "warning": "warning", "note": "recommendation"}


def descriptor(rule: RuleInfo) -> dict[str, Any]:
    """The reportingDescriptor of a rule.

    GitHub shows `help.markdown`, and `help.text` where it cannot.
    There is no security-severity: it would file every result under security.
    """
    summary = _sentence(rule.summary or rule.name)
    page = rule.page.strip() or summary
    found: dict[str, Any] = {
        "id": rule.code,
        "name": rule.name,
        "shortDescription": {"text": _limited(summary)},
        "fullDescription": {"text": _limited(_first_paragraph(rule.page) or summary)},
        "help": {"text": page, "markdown": page},
        "defaultConfiguration": {"level": rule.severity},
        "properties": {
            "tags": list(dict.fromkeys(rule.tags))[:TAG_LIMIT],
            "precision": _PRECISION[rule.severity],
            "problem.severity": _PROBLEM[rule.severity],
        },
    }
    if rule.url:
        found["helpUri"] = rule.url
    return found


def _first_paragraph(page: str) -> str:
    for block in page.replace("\r\n", "\n").split("\n\n"):
        text = " ".join(line.strip() for line in block.split("\n") if not line.startswith("#")).strip()
        if text and text[0] not in "|`>-*<":
            return text
    return ""


def _sentence(text: str) -> str:
    text = text.strip()
    text = text[:1].upper() + text[1:]
    return text if text.endswith((".", "!", "?")) else text + "."


def _limited(text: str) -> str:
    return text if len(text) <= DESCRIPTION_LIMIT else text[: DESCRIPTION_LIMIT - 1] + "…"
