"""What the pages show is what the program prints."""

from __future__ import annotations

import pytest

from docs.catalogue import kinds
from docs.catalogue.blocks import filled
from docs.catalogue.readme import RULES, listed
from kubelint_gpu.findings.catalogue import PAGE, folders, page

FOLDERS = folders()


@pytest.mark.parametrize("code", FOLDERS)
def test_the_blocks_of_a_page_are_real(code, kept):
    path = FOLDERS[code] / PAGE
    kept(path, filled(FOLDERS[code], path.read_text()).encode())


@pytest.mark.parametrize("code", FOLDERS)
def test_a_page_shows_a_bad_manifest_its_output_and_a_good_one(code):
    text = (FOLDERS[code] / PAGE).read_text()
    kinds = {"properties", "related", "output: bad/", "file: bad/", "file: good/"}
    assert {kind for kind in kinds if f"<!-- {kind}" not in text} == set()


@pytest.mark.parametrize("code", FOLDERS)
def test_a_page_shows_the_literal_event_where_there_is_one(code):
    from docs.catalogue.example import examples, outcome

    events = [
        finding.scheduler
        for example in examples(FOLDERS[code], "bad")
        for finding in outcome(example).findings
        if finding.code == code and finding.scheduler
    ]
    text = (FOLDERS[code] / PAGE).read_text()
    why = text.partition("\n## Why it matters\n")[2].partition("\n## ")[0]
    assert not events or any(event in why for event in events)


@pytest.mark.parametrize("code", FOLDERS)
def test_a_page_is_read_without_the_marks_of_its_blocks(code):
    assert "<!--" not in page(code)
    assert page(code).startswith(f"# {code} ")


def test_a_block_of_an_unknown_kind_is_an_error():
    with pytest.raises(KeyError, match="nonsense"):
        filled(FOLDERS["KLG101"], "<!-- nonsense: a -->\n<!-- end -->")


def test_the_readme_lists_the_rules(kept):
    kept(RULES, listed(RULES.read_text()).encode())


def test_the_page_of_kinds_lists_what_is_judged_of_each(kept):
    text = kinds.KINDS.read_text()
    kept(kinds.KINDS, kinds.listed(text).encode())
    assert "| Rollout | argoproj.io | judged | judged | judged: canary or blue-green |" in text
    assert "| Notebook | kubeflow.org | judged | judged, possible | not judged |" in text
