"""A disagreement is made small before it is printed: exercised with linters that are wrong on purpose."""

from __future__ import annotations

from conformance import objects, recording, shrink, validation
from conformance.rollout_case import Case, reference

NODES = tuple(objects.node(f"n{number}", 2, {"zone": "a"}) for number in range(4))


def deployment(name, replicas=3, **more):
    spec = objects.pod_spec(1, nodeSelector={"zone": "a"}, priorityClassName="high", **more)
    return objects.deployment(name, replicas, spec, maxSurge=1, maxUnavailable=0)


def changed(value):
    return {**value, "spec": {**value["spec"], "template": {**value["spec"]["template"], "metadata": {"labels": {}}}}}


def large():
    old = (deployment("web"), deployment("db", 4), deployment("still", 2))
    inventory = (*NODES, objects.priority_class("high"))
    return Case("random-0-0", inventory, old, (changed(old[0]), changed(old[1])))


def gpus(case):
    return sum(
        int(each["status"]["allocatable"].get(objects.GPU, 0)) for each in case.inventory if each["kind"] == "Node"
    )


def test_a_rollout_is_made_as_small_as_the_disagreement_allows():
    asked = []

    def wrong(case):
        """A linter that is wrong where `db` is rolled with two replicas or more and there are three GPUs or more."""
        asked.append(case)
        db = [each for each in case.new if reference(each) == "Deployment/default/db"]
        return "says completes, a run stuck" if db and db[0]["spec"]["replicas"] >= 2 and gpus(case) >= 3 else ""

    small = shrink.rollout(large(), wrong)
    assert wrong(small)
    assert [reference(each) for each in small.old] == ["Deployment/default/db"]
    assert [reference(each) for each in small.new] == ["Deployment/default/db"]
    assert {each["spec"]["replicas"] for each in (*small.old, *small.new)} == {2}
    assert [each["kind"] for each in small.inventory] == ["Node", "Node"]
    assert set(small.new[0]["spec"]["template"]["spec"]) == {"containers", "terminationGracePeriodSeconds"}
    assert "strategy" not in small.new[0]["spec"]
    assert len(asked) <= 61


def test_what_cannot_be_smaller_stays_and_questions_are_bounded():
    case = large()
    assert shrink.rollout(case, lambda _: "") == case
    asked = []
    shrink.rollout(case, lambda smaller: asked.append(smaller) or "", attempts=5)
    assert len(asked) == 5


def test_the_case_that_is_given_is_never_changed():
    case, before = large(), recording.counted([{"case": repr(large())}])
    shrink.rollout(case, lambda _: "wrong")
    assert recording.counted([{"case": repr(case)}]) == before


def test_an_object_is_made_as_small_as_the_disagreement_allows():
    value = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one", "labels": {"app": "one", "tier": "gold"}},
        "spec": {
            "nodeSelector": {"a": "b", "c": "d"},
            "tolerations": [{"key": "x"}, {"key": "y", "effect": "Bad"}, {"key": "z"}],
            "containers": [{"name": "main", "image": "a"}, {"name": "side", "image": "b"}],
        },
    }

    def wrong(smaller):
        """A linter that does not know effects, asked about objects that need a container."""
        spec = smaller.get("spec", {})
        refused = any(each.get("effect") == "Bad" for each in spec.get("tolerations", ()))
        return refused and bool(spec.get("containers"))

    assert shrink.whole_object(value, wrong) == {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "one"},
        "spec": {"tolerations": [{"effect": "Bad"}], "containers": [{}]},
    }


def test_every_random_object_of_a_seed_is_the_same_again_and_shrinks():
    from pathlib import Path

    folder = Path(__file__).resolve().parents[2] / "conformance" / "cases" / "validation"
    first, second = (list(validation.random_trials(folder, 5, 30)) for _ in range(2))
    assert first == second
    for trial in first:
        small = shrink.whole_object(trial.object, lambda value: bool(value.get("kind")))
        assert set(small) <= {"apiVersion", "kind", "metadata"}
