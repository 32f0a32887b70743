"""The rules as described by their folders: one folder per rule, inside the package or at the repository's root."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

import click

from kubelint_gpu.documents import read
from kubelint_gpu.findings.finding import RuleInfo
from kubelint_gpu.version import PROJECT_URL

PAGE = "README.md"
DESCRIPTION = "rule.yaml"
_PACKAGE = Path(__file__).resolve().parent.parent


class BrokenRule(click.ClickException):
    """The folder of a rule has no module with the rule's name, or one that fails or has another code."""


class UnknownRule(LookupError):  # noqa: N818 - it names the thing
    """There is no rule with this code or name."""


@lru_cache(maxsize=1)
def rules_folder() -> Path:
    """The folder of the catalogue: beside the code in a wheel, beside the package in a checkout."""
    inside = _PACKAGE / "rules"
    return inside if inside.is_dir() else _PACKAGE.parent / "rules"


def program() -> str:
    """Return a digest of this program and its rules."""
    from kubelint_gpu.cache.digests import program_identity

    return program_identity((str(rules_folder()),))


@lru_cache(maxsize=2)
def folders(catalogue: Path | None = None) -> dict[str, Path]:
    """The folder of each rule, by code, in the order of codes. Raises BrokenRule if two folders have the same code."""
    found: dict[str, Path] = {}
    whole = catalogue or rules_folder()
    for name in sorted(os.listdir(whole)):  # noqa: PTH208 - text, as below: each short run lists all rules
        code, dash, _ = name.partition("-")
        if dash and os.path.isfile(f"{whole}/{name}/{DESCRIPTION}"):  # noqa: PTH113
            if code in found:
                raise BrokenRule(f"{whole / name}: the folder {found[code].name} has the same code")
            found[code] = whole / name
    return found


@lru_cache(maxsize=256)
def rule(code: str) -> RuleInfo:
    """A rule, with its page left empty. Raises UnknownRule if there is no folder for the code."""
    folder = folders().get(code)
    if folder is None:
        raise UnknownRule(code)
    value = description(code)
    return RuleInfo(
        code=code,
        name=str(value["name"]),
        severity=cast("Any", value["severity"]),
        summary=str(value["summary"]),
        fix=cast("Any", value.get("fix", "none")),
        since=str(value["since"]),
        url=f"{PROJECT_URL}/blob/main/rules/{folder.name}/{PAGE}",
        tags=tuple(str(tag) for tag in value.get("tags", ())),
        remedy=str(value.get("remedy", "")),
    )


def description(code: str) -> dict[str, Any]:
    """The contents of a rule's `rule.yaml`."""
    path = folders()[code] / DESCRIPTION
    return cast("dict[str, Any]", read(str(path), path.read_bytes()).documents[0].value)


def page(code: str) -> str:
    """The Markdown page of a rule, without the comments that mark its generated blocks."""
    lines = (folders()[code] / PAGE).read_text(encoding="utf-8").splitlines(keepends=True)
    return "".join(line for line in lines if not line.startswith("<!--"))


def every_rule() -> Iterator[RuleInfo]:
    """All rules in the order of codes."""
    return (rule(code) for code in folders())


def suggestion(text: str) -> str:
    """`; did you mean KLG101?` for an unknown code or name; empty if nothing is similar.

    A code is only suggested if its digits are right.
    """
    wanted = text.strip().lower()
    digits = "".join(character for character in wanted if character.isdigit())
    if digits:
        near = [found.code for found in every_rule() if found.code.removeprefix("KLG") == digits.zfill(3)]
    else:
        import difflib

        near = difflib.get_close_matches(wanted.replace("_", "-"), [found.name for found in every_rule()], 1, 0.7)
    return f"; did you mean {near[0]}?" if near else ""


def find(text: str) -> RuleInfo:
    """The rule with a code or name, in any case. Raises UnknownRule if there is none."""
    wanted = text.strip().lower()
    for found in every_rule():
        if wanted in (found.code.lower(), found.name):
            return found
    raise UnknownRule(text)


def prefix_of(text: str) -> str:
    """The code, or the common beginning of codes, for a code, a prefix like `KLG1` or a name, in any case.

    Raises:
        UnknownRule: no rule of the catalogue matches.
    """
    wanted = text.strip()
    if wanted and any(code.startswith(wanted.upper()) for code in folders()):
        return wanted.upper()
    for found in every_rule():
        if wanted.lower() == found.name:
            return found.code
    raise UnknownRule(text)
