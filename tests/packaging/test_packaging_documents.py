"""What README, docs and examples point at is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "SECURITY.md", *(ROOT / "docs").glob("*.md")])
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
USED = [*PAGES, *(ROOT / "examples").rglob("*.y*ml"), ROOT / "action.yml", ROOT / ".pre-commit-hooks.yaml"]


def anchors(page):
    """The anchors that GitHub gives the headings of a page."""
    headings = re.findall(r"^#+ (.+)$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings_that_are_there(page):
    missing = []
    for link in LINK.findall(FENCED.sub("", page.read_text(encoding="utf-8"))):
        path, _, anchor = link.partition("#")
        if ":" in path:
            continue
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            missing.append(link)
    assert missing == []


def test_headings_stand_apart():
    for page in PAGES:
        assert (
            re.findall(r"^[^\n#][^\n]*\n##+ .*$", FENCED.sub("", page.read_text(encoding="utf-8")), re.MULTILINE) == []
        )


def test_no_release_is_named_that_is_not_made():
    (version, state) = re.search(
        r"^## (\d+\.\d+\.\d+) \((.*)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE
    ).groups()
    if state != "unreleased":
        return
    named = rf"(@|rev:\s*|==|releases/(tag|download)/)v?{re.escape(version)}\b"
    assert [page.name for page in USED if re.search(named, page.read_text(encoding="utf-8"))] == []


OUTLETS = {
    "outlets.md": ["pre-commit", "GitHub", "GitLab", "SARIF viewers", "Image, krew, release"],
    "editors.md": ["The language server"],
    "fleets.md": ["Shares of one repository", "Workers on other machines"],
}


@pytest.mark.parametrize("page", OUTLETS)
def test_each_outlet_says_what_fails_a_run(page):
    sections = re.split(r"^## ", (ROOT / "docs" / page).read_text(encoding="utf-8"), flags=re.MULTILINE)
    said = [text.partition("\n")[0] for text in sections if "--fail-on" in text]
    assert said == OUTLETS[page]
