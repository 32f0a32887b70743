"""The core answers what the real kube-scheduler answered, in every recorded scenario."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
import replay

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "scheduler"
FILES = sorted(GOLDEN.rglob("*.jsonl.xz"))


def scenario(**more):
    node = {
        "metadata": {"name": "n1"},
        "spec": {},
        "status": {"allocatable": {"cpu": "1", "pods": "10"}},
    }
    pod = {"metadata": {"name": "new"}, "spec": {"priority": 0, "containers": [{"name": "c"}]}}
    return {"nodes": [node], "pods": [], "pod": pod, **more}


def written(tmp_path, expect, name="some.jsonl", **more):
    path = tmp_path / name
    line = {"id": "one", "kubernetes": "1.34.1", "scenario": scenario(**more), "expect": expect}
    text = json.dumps(line) + "\n\n"
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def test_the_recorded_files_are_there():
    assert len(FILES) == 14


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_no_recorded_answer_differs(path):
    count, kinds, wrong = replay.replay(path)
    assert (kinds, wrong) == ({}, [])
    assert count >= 200


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(GOLDEN).as_posix())
def test_judging_equal_nodes_once_changes_no_answer(path):
    _, kinds, wrong = replay.replay(path, every=3, by_class=True)
    assert (kinds, wrong) == ({}, [])


def test_a_right_answer_exits_0(tmp_path, capsys):
    assert replay.main([str(written(tmp_path, {"fits": ["n1"]}))]) == 0
    assert "1 scenarios, 0 mismatches" in capsys.readouterr().out


def test_a_wrong_answer_exits_1_and_is_shown_in_full(tmp_path, capsys):
    path = written(tmp_path, {"fits": [], "message": "no", "nodes": {"n1": {"code": "Unschedulable"}}}, "some.jsonl.gz")
    assert replay.main([str(path)]) == 1
    printed = capsys.readouterr().out
    assert "fits 1, plugin 0, code 1, reasons 0, message 1" in printed
    assert '"message": "no"' in printed


def test_an_attempt_that_fails_with_another_error_is_a_mismatch(tmp_path, capsys):
    claim = {
        "metadata": {"name": "claim"},
        "spec": {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c"}}]}},
    }
    selector = {"cel": {"expression": "device.attributes['a.example'].b == 1"}}
    objects = {
        "resourceClaims": [claim],
        "deviceClasses": [{"metadata": {"name": "c"}, "spec": {"selectors": [selector]}}],
        "resourceSlices": [
            {
                "metadata": {"name": "s"},
                "spec": {
                    "driver": "d",
                    "nodeName": "n1",
                    "pool": {"name": "n1", "resourceSliceCount": 1},
                    "devices": [{"name": "gpu"}],
                },
            }
        ],
    }
    pod = {
        "metadata": {"name": "new"},
        "spec": {"containers": [{"name": "c"}], "resourceClaims": [{"name": "g", "resourceClaimName": "claim"}]},
    }
    text = 'running "DynamicResources" filter plugin: class c: selector #0: CEL runtime error: no such key: b'
    reasons = {"n1": {"code": "Error", "plugin": "DynamicResources", "reasons": [text]}}
    right = {"fits": [], "nodes": reasons, "error": text}
    assert replay.main([str(written(tmp_path, right, pod=pod, **objects))]) == 0
    assert replay.main([str(written(tmp_path, {**right, "error": "another"}, pod=pod, **objects))]) == 1
    assert "error 1" in capsys.readouterr().out


def test_a_scenario_that_crashes_is_a_mismatch(tmp_path, capsys):
    path = written(tmp_path, {"fits": ["n1"]}, pods=[{"spec": {"priority": "many"}}])
    assert replay.main([str(path)]) == 1
    assert "error 1" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["{", "[1]", '{"id": 1}'])
def test_a_file_that_is_no_recording_exits_2(tmp_path, capsys, text):
    path = tmp_path / "broken.jsonl"
    path.write_text(text)
    assert replay.main([str(path)]) == 2
    assert replay.main([str(tmp_path / "absent.jsonl")]) == 2
    assert replay.main([]) == 2
    assert "cannot be read" in capsys.readouterr().err


def test_any_of_several_choices_is_right_where_the_scheduler_chose_at_random():
    expected = {"anyOf": [{"nominated": "n1", "victims": ["a"]}, {"nominated": "n2", "victims": ["b"]}]}
    node = {"spec": {}, "status": {"allocatable": {"cpu": "1", "pods": "10"}}}
    busy = {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}], "priority": 0}
    line = {
        "kubernetes": "1.34.1",
        "scenario": {
            "nodes": [{"metadata": {"name": name}, **node} for name in ("n1", "n2", "n3")],
            "pods": [
                {"metadata": {"name": name}, "spec": {"nodeName": where, **busy}, "status": {"startTime": start}}
                for name, where, start in (("a", "n1", "2026"), ("b", "n2", "2026"), ("c", "n3", "2025"))
            ],
            "pod": {"metadata": {"name": "new"}, "spec": {**busy, "priority": 5}},
        },
    }
    found, preemption = replay.answer(line)
    kinds = ("nominated", "victims")
    right = {**found, **expected}
    assert not set(kinds) & set(replay.differences(right, found, preemption))
    for wrong, kind in (("n3", "nominated"), ("n2", "victims")):
        other = {"anyOf": [{"nominated": wrong, "victims": ["c"]}]}
        assert replay.differences({**found, **other}, found, preemption) == [kind]
    single = {key: value for key, value in found.items() if key not in kinds}
    assert replay.differences({**single, "nominated": "n2", "victims": ["b"]}, found, preemption) == []
    assert replay.differences({**single, "nominated": "n2", "victims": ["a"]}, found, preemption) == ["victims"]
    assert replay.differences({**single, "nominated": "n3", "victims": ["c"]}, found, preemption) == ["nominated"]
