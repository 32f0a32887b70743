"""The pages of `docs/rules/`: the rules' own pages with links that lead from there."""

from __future__ import annotations

import re
from pathlib import Path

from kubelint_gpu.findings.catalogue import PAGE, RuleInfo, every_rule, folders, page

FOLDER = Path(__file__).resolve().parent.parent / "rules"
_LINK = re.compile(r"\]\((?!https?://|#)(?P<target>[^)]+)\)")
_HEAD = ("| code | name | severity | fix | what it finds |", "| --- | --- | --- | --- | --- |")
_FAMILIES = {
    "0": "Input that cannot be read, or that the API server would refuse",
    "1": "Rollout: will it ever end",
    "2": "Placement: is there a node at all",
    "3": "Priority and preemption",
    "4": "Affinity, taints, spreading",
    "5": "GPU resources",
    "6": "The inventory",
    "7": "Dynamic resource allocation",
    "8": "Descheduler, Kueue, scheduler configuration",
}


def site() -> dict[str, str]:
    """Every file of `docs/rules/` by name."""
    rules = list(every_rule())
    return {PAGE: _index(rules), **{_name(found): _page(found) for found in rules}}


def _name(found: RuleInfo) -> str:
    return f"{found.code}-{found.name}.md"


def _page(found: RuleInfo) -> str:
    folder = folders()[found.code].name

    def led(link: re.Match[str]) -> str:
        target = link["target"]
        rule = re.fullmatch(rf"\.\./(KLG\d{{3}}-[a-z0-9-]+)/{PAGE}", target)
        return f"]({rule[1]}.md)" if rule else f"](../../rules/{folder}/{target})"

    return _LINK.sub(led, page(found.code))


def _index(rules: list[RuleInfo]) -> str:
    lines = ["# Rules", "", "One page for each rule. `kubelint-gpu explain CODE` shows the same page in the terminal."]
    for digit, title in _FAMILIES.items():
        mine = [found for found in rules if found.code[3] == digit]
        if not mine:
            continue
        lines += [
            "",
            f"## {title}",
            "",
            "| code | name | severity | fix | what it finds |",
            "| --- | --- | --- | --- | --- |",
        ]
        lines += [
            f"| [{one.code}]({_name(one)}) | {one.name} | {one.severity} | {one.fix} | {one.summary} |" for one in mine
        ]
    return "\n".join(lines) + "\n"
