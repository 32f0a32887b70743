"""Every fix of every example changes what it says it changes, and nothing beside it."""

from __future__ import annotations

import pytest
from change_cases import inventory as room
from change_cases import made, on
from checks_units import unit, world

from docs.catalogue.example import examples, outcome
from kubelint_gpu.documents import encode, read
from kubelint_gpu.documents.editing import Edit, apply
from kubelint_gpu.engine.repair import offsets, repair
from kubelint_gpu.findings.catalogue import folders
from kubelint_gpu.kube.values.plain import differences
from kubelint_gpu.workspace.apply_set import ApplySet

BAD = [example for folder in folders().values() for example in examples(folder, "bad")]


def overlap(one, other):
    return one[0] <= other[1] and other[0] <= one[1]


def entry(document, pointer):
    """From where a key begins to where its value ends; nowhere if it is absent."""
    if not document.present(pointer):
        return -1, -2
    return document.locate(pointer, "key").start, document.locate(pointer).end


@pytest.mark.parametrize("example", BAD, ids=lambda example: f"{example.code}-{example.name}")
def test_only_what_is_edited_differs(example):
    fixes = [fix for finding in outcome(example).findings for fix in finding.fixes]
    fixed = example.folder / "fixed" / f"{example.name}.yaml"
    assert fixes or not fixed.exists()
    for fix in fixes:
        only_edits_differ(example, fix)


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


def test_what_this_change_does_is_mended_before_what_comes_next():
    before, now = (made(name, replicas=2, pod=on("n2"), more=more) for name, more in (("b", ""), ("b", "args: [x]")))
    old = {one.object: one for one in unit(before, room(2, 2)).manifests}
    text = made("a", replicas=2, pod=on("n1")) + now
    changed = ApplySet((read("a.yaml", text.encode()),), world(room(2, 2)), before=old, made={"Deployment/serving/a"})
    told = [(found.object.rpartition("/")[2], found.moment) for found, _ in repair(changed, unsafe=False).applied]
    assert told == [("b", "now"), ("a", "next")]
