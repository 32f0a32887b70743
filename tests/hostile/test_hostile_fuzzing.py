"""Each fuzzing target on its whole corpus and on some changed inputs, the same ones every time; see `fuzzing.py`.

That these do no harm is known until the program changes; others are tried for as long as `.ci/run` says.
"""

import fuzzing
import pytest

RUNS = {
    "reader": 400,
    "inventory": 120,
    "configuration": 200,
    "kustomization": 200,
    "baseline": 200,
    "check": 40,
    "names": 30,
}


@pytest.mark.parametrize("target", sorted(fuzzing.TARGETS))
def test_every_input_of_the_corpus_is_read(target):
    for data in fuzzing.corpus(target):
        assert fuzzing.bounded(target, data) < fuzzing.SECONDS


@pytest.mark.parametrize("target", sorted(fuzzing.TARGETS))
def test_no_changed_input_ends_a_run(target):
    failures = []
    fuzzing.fuzz(target, RUNS[target], 0, lambda data, error: failures.append((data, error)))
    assert not failures, failures[0]


def test_a_target_that_fails_is_seen(monkeypatch):
    def fails(data):
        assert b"1e39" not in data

    monkeypatch.setitem(fuzzing.TARGETS, "reader", fails)
    failures = []
    fuzzing.fuzz("reader", 200, 0, lambda data, _: failures.append(data))
    assert failures


def test_a_run_without_end_is_ended(monkeypatch):
    def endless(data):
        while data is not None:
            pass

    monkeypatch.setattr(fuzzing, "SECONDS", 0.2)
    monkeypatch.setitem(fuzzing.TARGETS, "reader", endless)
    with pytest.raises(TimeoutError):
        fuzzing.bounded("reader", b"")


def test_the_inputs_of_the_corpus_reach_what_is_behind_the_reading():
    from kubelint_gpu.documents import read
    from kubelint_gpu.inventory import load
    from kubelint_gpu.workspace.project.configuration_file import interpret

    for data in fuzzing.corpus("inventory"):
        assert not [each for each in load((read("x.yaml", data),))[1] if each.severity == "error"]
    for data in fuzzing.corpus("configuration"):
        assert interpret(fuzzing.Path("c.yaml"), read("c.yaml", data)).units
