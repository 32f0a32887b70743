"""Every rule is one folder and one function, and its examples do what their comments say."""

from __future__ import annotations

import re

import pytest

from docs.catalogue.example import Expectation, _entries, examples, expectations, fixed, outcome
from docs.catalogue.properties import LINTERS, STANCES
from kubelint_gpu.documents import encode, read
from kubelint_gpu.documents.editing import Edit, apply
from kubelint_gpu.engine.registry import codes, world_checks
from kubelint_gpu.engine.repair import offsets
from kubelint_gpu.findings.catalogue import PAGE, description, find, folders, rule
from kubelint_gpu.findings.finding import Finding, Place
from kubelint_gpu.kube.values.plain import differences
from kubelint_gpu.version import __version__

KEYS = ["id", "name", "severity", "summary", "remedy", "since", "fix", "needs-inventory", "tags", "related"]
HEADINGS = [
    "What it detects",
    "Why it matters",
    "Bad",
    "Good",
    "How to fix it",
    "When to ignore it",
    "Limits",
    "Source of the behaviour",
    "Related",
]
FOLDERS = folders()
BAD = [example for folder in FOLDERS.values() for example in examples(folder, "bad")]
GOOD = [example for folder in FOLDERS.values() for example in examples(folder, "good")]

every_rule = pytest.mark.parametrize("code", FOLDERS)


def told(findings):
    return [f"{one.code} at {one.place.path}:{one.place.line}:{one.place.column} {one.message}" for one in findings]


def test_folders_and_functions_are_the_same_rules():
    assert set(FOLDERS) == codes()


@every_rule
def test_the_description_is_valid(code):
    found = description(code)
    assert list(found) == [key for key in KEYS if key != "remedy" or key in found]
    assert FOLDERS[code].name == f"{found['id']}-{found['name']}"
    assert re.fullmatch(r"KLG\d{3}", found["id"])
    assert re.fullmatch(r"[a-z]+(-[a-z]+)*", found["name"])
    assert found["severity"] in ("error", "warning", "note")
    assert found["fix"] in ("safe", "unsafe", "none")
    assert isinstance(found["needs-inventory"], bool)
    assert re.fullmatch(r"\d+\.\d+\.\d+", found["since"])
    assert tuple(map(int, found["since"].split("."))) <= tuple(map(int, __version__.split(".")[:3]))
    assert found["tags"]
    assert all(re.fullmatch(r"[a-z-]+", tag) for tag in found["tags"])
    assert find(code) == find(rule(code).name.upper()) == rule(code)
    summary = found["summary"]
    assert summary[0].isupper()
    assert summary.endswith(".")
    assert ". " not in summary
    assert "\n" not in summary
    assert len(summary) < 160
    for related in found["related"]:
        assert list(related) == ["linter", "rule", "stance", "says"]
        assert related["linter"] in LINTERS
        assert related["stance"] in STANCES
        assert related["says"]
        assert "|" not in related["says"]


@every_rule
def test_the_page_has_its_headings_in_order_and_links_that_lead_somewhere(code):
    text = (FOLDERS[code] / PAGE).read_text()
    lines = text.splitlines()
    assert lines[0] == f"# {code} {rule(code).name}"
    assert lines[2] == rule(code).summary
    assert [line[3:] for line in lines if line.startswith("## ")] == HEADINGS
    for target in re.findall(r"\]\((?!https?://|#)([^)]+)\)", text):
        assert (FOLDERS[code] / target).exists(), target


@every_rule
def test_a_folder_has_examples_and_no_file_without_a_meaning(code):
    assert examples(FOLDERS[code], "bad")
    assert examples(FOLDERS[code], "good")
    assert {one.name for one in examples(FOLDERS[code], "fixed")} <= {
        one.name for one in examples(FOLDERS[code], "bad")
    }
    for example in examples(FOLDERS[code], "bad"):
        assert code in {found.code for found in expectations(example)}, example
    folder = FOLDERS[code]
    used = {PAGE, "rule.yaml", f"{rule(code).name.replace('-', '_')}.py"}
    for kind in ("bad", "good", "fixed"):
        for example in examples(folder, kind):
            used |= {*example.texts, example.inventory, example.against, example.rendered}
    there = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    assert {path for path in there if not path.startswith("__pycache__/")} <= used


@pytest.mark.parametrize("example", BAD, ids=str)
def test_a_bad_example_gives_exactly_what_its_comments_announce(example):
    found = outcome(example).findings
    announced = expectations(example)
    left = list(found)
    missed = []
    for one in announced:
        match = next((finding for finding in left if one.meets(finding)), None)
        if one.todo:
            assert match is None, f"{one} is no gap any more: make it an expectation"
        elif match is None:
            missed.append(str(one))
        else:
            left.remove(match)
    assert (missed, told(left)) == ([], [])
    for finding in found:
        one_sentence_each(finding)
        # the author can change the primary place
        assert finding.place.path in ((example.inventory,) if finding.code in world_checks() else example.texts)
        # no line is pointed at twice with the same words
        said = [(one.place, one.message) for one in finding.related]
        assert len(said) == len(set(said))


def overlap(one, other):
    return one[0] <= other[1] and other[0] <= one[1]


def entry(document, pointer):
    """From where a key begins to where its value ends; nowhere if it is absent."""
    if not document.present(pointer):
        return -1, -2
    return document.locate(pointer, "key").start, document.locate(pointer).end


def only_edits_differ(example, fix):
    before = read(example.path, example.data)
    source = before.source
    spans = sorted({(*offsets(source, edit.place), edit.text) for edit in fix.edits})
    edits = [Edit(example.path, source.span(start, end), text) for start, end, text in spans]
    text = apply(source, edits)
    after = read(example.path, encode(source, text))
    # what lies outside of the edits stands where it stood, byte for byte, moved by what was put in before it
    written, at, shift, rest = [], 0, 0, []
    for start, end, new in spans:
        rest.append((source.text[at:start], text[at + shift : start + shift]))
        written.append((start + shift, start + shift + len(new)))
        at, shift = end, shift + len(new) - (end - start)
    rest.append((source.text[at:], text[at + shift :]))
    assert all(old == new for old, new in rest)
    assert len(before.documents) == len(after.documents)
    for old, new in zip(before.documents, after.documents, strict=True):
        for pointer in differences(old.value, new.value):
            assert any(overlap(entry(new, pointer), one) for one in written) or any(
                overlap(entry(old, pointer), one[:2]) for one in spans
            ), pointer


def one_sentence_each(finding):
    """The texts of a finding are sentences without a full stop."""
    texts = [finding.message, *(one.message for one in finding.related), *finding.cycle]
    for text in (*texts, *(fix.title for fix in finding.fixes), *finding.help):
        assert text == text.strip() != ""
        assert not text.endswith((".", ";", ",", ":"))
        assert "  " not in text
        assert "\n" not in text
        assert not re.search(r"\b(the the|a a|1 (pods|nodes|replicas)|\bNone\b|0 of 0)\b", text), text


@pytest.mark.parametrize("example", GOOD, ids=str)
def test_a_good_example_gives_no_finding(example):
    assert told(outcome(example).findings) == []
    assert not expectations(example)


@pytest.mark.parametrize("example", BAD, ids=str)
def test_the_fix_gives_the_fixed_manifest_byte_for_byte(example, kept):
    path = example.folder / "fixed" / f"{example.name}.yaml"
    fixes = [fix for finding in outcome(example).findings for fix in finding.fixes]
    assert fixes or not path.exists()
    for fix in fixes:
        only_edits_differ(example, fix)
    after = fixed(example)
    if after is None:
        assert not path.exists(), "there is no verified fix"
        return
    kept(path, after)
    assert example.code not in {finding.code for finding in outcome(example, after).findings}


@every_rule
def test_the_fixes_are_as_safe_as_the_description_says(code):
    offered = {
        fix.safety
        for example in examples(FOLDERS[code], "bad")
        for finding in outcome(example).findings
        if finding.code == code
        for fix in finding.fixes
    }
    best = "safe" if "safe" in offered else "unsafe" if offered else "none"
    assert description(code)["fix"] == best


@pytest.mark.parametrize("code", [code for code in FOLDERS if description(code)["needs-inventory"]])
def test_a_rule_without_an_inventory_is_silent_where_it_needs_one(code):
    from kubelint_gpu.engine.run import check
    from kubelint_gpu.workspace.apply_set import ApplySet
    from kubelint_gpu.workspace.cluster_context import ClusterContext

    for example in examples(FOLDERS[code], "bad"):
        unit = ApplySet((read(example.path, example.data),), ClusterContext())
        assert code not in {finding.code for finding in check((unit,), ClusterContext()).findings}


def test_some_inventory_is_what_kubectl_prints():
    texts = [(one.folder / one.inventory).read_text() for one in BAD if one.inventory]
    assert any(re.search(r"^kind: List$", text, re.MULTILINE) for text in texts)


@pytest.mark.parametrize(
    ("text", "entries"),
    [
        ("KLG101", [("KLG101", None, "")]),
        ("KLG101, KLG301", [("KLG101", None, ""), ("KLG301", None, "")]),
        ('KLG003 col 7 "a, b", KLG101', [("KLG003", 7, "a, b"), ("KLG101", None, "")]),
    ],
)
def test_an_expectation_names_codes_columns_and_words(text, entries):
    assert [(one.code, one.column, one.part) for one in _entries("a.yaml", 1, text, todo=False)] == entries


@pytest.mark.parametrize("text", ["", "KLG1", "KLG101 KLG301", "KLG101,KLG301", "KLG101 here"])
def test_an_expectation_that_cannot_be_read_is_an_error(text):
    with pytest.raises(ValueError, match=r"a\.yaml:1: "):
        list(_entries("a.yaml", 1, text, todo=False))


def test_an_expectation_is_met_only_at_its_line_and_column():
    finding = Finding("KLG101", "x", "error", "certain", "it waits", Place("a.yaml", 3, 5, 3, 9))
    assert Expectation("a.yaml", 3, "KLG101", 5, "waits").meets(finding)
    assert not Expectation("a.yaml", 4, "KLG101").meets(finding)
    assert not Expectation("a.yaml", 3, "KLG101", 1).meets(finding)
    assert not Expectation("a.yaml", 3, "KLG101", 5, "holds").meets(finding)
    assert not Expectation("b.yaml", 3, "KLG101").meets(finding)
