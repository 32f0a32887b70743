"""Recorded changes of objects that exist, and the patch that stands for client-side apply."""

from __future__ import annotations

import copy
from collections import Counter
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from page_sections import counts_of

from conformance import recording, update_answers, updates
from conformance.rollout_case import merged

FILES = sorted((Path(__file__).resolve().parents[1] / "golden" / "updates").glob("*.jsonl.xz"))
RECORDS = [record for path in FILES for record in recording.read(path)]
VALUES = st.recursive(
    st.integers(0, 3) | st.text("ab", max_size=2),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)


def test_there_are_recordings_of_every_kind():
    assert len(RECORDS) >= 250
    kinds = {record["before"]["kind"] for record in RECORDS if not record["applied"]["accepted"]}
    assert kinds >= {
        "Deployment", "StatefulSet", "DaemonSet", "Job", "Pod", "PriorityClass", "PersistentVolumeClaim",
        "PersistentVolume", "StorageClass", "ResourceQuota", "Secret", "ConfigMap", "Service",
    }  # fmt: skip


def test_the_linter_agrees_about_every_recorded_change():
    counts = sum((counts_of(path, list(recording.read(path))) for path in FILES), Counter())
    assert counts.total() == len(RECORDS)
    assert counts["refused, the linter refuses the change"] >= 190


def test_nothing_is_excused_that_needs_no_excuse():
    excused = [one for one in RECORDS if not one["applied"]["accepted"] and update_answers.known(one)]
    for one in update_answers.KNOWN:
        others = [other for other in update_answers.KNOWN if other is not one]
        assert update_answers.compared(excused, others)[1] != [], one


def test_another_answer_would_be_told():
    by_name = {record["id"]: copy.deepcopy(record) for record in RECORDS}
    refused, accepted = by_name["priority-class-000"], by_name["priority-class-004"]
    assert update_answers.compared([refused, accepted])[1] == []
    refused["applied"], accepted["applied"] = accepted["applied"], refused["applied"]
    told = update_answers.compared([refused, accepted])[1]
    assert [each.partition(" ")[0] for each in told] == ["priority-class-000", "priority-class-004"]


def test_what_changes_nothing_is_accepted_and_what_is_refused_names_a_field():
    for record in RECORDS:
        for answer in (record["applied"], record["patched"]):
            if record["id"].endswith("-same"):
                assert answer == {"accepted": True}
            elif not answer["accepted"]:
                assert answer["message"]
                assert answer["causes"] or answer["reason"] in {"Forbidden", "BadRequest"}


@given(OBJECTS, OBJECTS)
def test_the_difference_makes_one_object_of_the_other(before, after):
    assert merged(before, updates.difference(before, after)) == after
