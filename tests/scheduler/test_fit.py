"""What must hold in every cluster."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st
from scheduler_scenarios import alike, node, scenarios

from kubelint_gpu.scheduler import Snapshot, fit, message, preempt, read_cluster, read_pod


def seen(objects, incoming, *, by_class=None, snapshot=None, version="1.34"):
    """Everything the core says of a pod."""
    pod = read_pod(incoming)
    snapshot = snapshot or Snapshot.of(read_cluster(objects, version=version))
    result = fit(pod, snapshot, by_class=by_class)
    found = {"fits": result.fits, "rejections": result.rejections, "prefilter": result.prefilter}
    if not result.schedulable:
        preemption = preempt(pod, snapshot, result)
        found["message"] = message(pod, snapshot, result, preemption)
        found["statuses"] = preemption.statuses
        found["candidates"] = [
            (one.node, tuple(victim.key for victim in one.victims), one.violations) for one in preemption.best
        ]
    return found


@settings(max_examples=150, deadline=None)
@given(st.one_of(scenarios(), alike()))
def test_judging_equal_nodes_once_changes_nothing(scenario):
    objects, incoming = scenario
    assert seen(objects, incoming, by_class=True) == seen(objects, incoming, by_class=False)


@settings(max_examples=80, deadline=None)
@given(st.one_of(scenarios(), alike()), st.randoms())
def test_the_order_of_nodes_and_pods_changes_nothing(scenario, random):
    objects, incoming = scenario
    shuffled = list(objects)
    random.shuffle(shuffled)
    before, after = seen(objects, incoming), seen(shuffled, incoming)
    # budgets go to pods of equal importance in the order in which the scheduler came to know them
    if any(value["kind"] == "PodDisruptionBudget" for value in objects) or ties(objects):
        for found in (before, after):
            found.pop("candidates", None)
    assert before == after


def ties(objects):
    pods = [value for value in objects if value["kind"] == "Pod"]
    ages = [(pod["spec"]["nodeName"], pod["spec"]["priority"], pod["status"]["startTime"]) for pod in pods]
    return len(set(ages)) < len(ages)


@settings(max_examples=80, deadline=None)
@given(scenarios(together=False))
def test_a_pod_that_goes_never_makes_another_unschedulable(scenario):
    objects, incoming = scenario
    pod = read_pod(incoming)
    snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
    before = set(fit(pod, snapshot).fits)
    for other in snapshot.pods:
        assert before <= set(fit(pod, snapshot.remove(other.key)).fits)


@settings(max_examples=80, deadline=None)
@given(scenarios(together=False), st.data())
def test_a_node_that_joins_never_takes_another_away(scenario, data):
    objects, incoming = scenario
    joined = data.draw(node("n99"))
    before = set(fit(read_pod(incoming), Snapshot.of(read_cluster(objects))).fits)
    after = set(fit(read_pod(incoming), Snapshot.of(read_cluster([*objects, joined]))).fits)
    assert before <= after


@settings(max_examples=80, deadline=None)
@given(st.one_of(scenarios(), alike()), st.data())
def test_a_snapshot_after_changes_is_the_snapshot_of_what_is_left(scenario, data):
    objects, incoming = scenario
    cluster = read_cluster(objects, version="1.34")
    snapshot = Snapshot.of(cluster, ())
    snapshot.equal()
    placed = []
    for pod in cluster.pods:
        snapshot = snapshot.place(pod, pod.spec.node_name)
        placed.append(pod)
        if data.draw(st.integers(0, 3)) == 0:
            gone = placed.pop(data.draw(st.integers(0, len(placed) - 1)))
            snapshot = snapshot.remove(gone.key)
    whole = Snapshot.of(cluster, placed)
    for by_class in (False, True):
        assert_same(
            seen(objects, incoming, by_class=by_class, snapshot=snapshot), seen(objects, incoming, snapshot=whole)
        )


def assert_same(found, expected):
    for one in (found, expected):
        one.pop("candidates", None)
    assert found == expected


@settings(max_examples=60, deadline=None)
@given(scenarios())
def test_evicting_the_victims_makes_room(scenario):
    objects, incoming = scenario
    pod = read_pod(incoming)
    snapshot = Snapshot.of(read_cluster(objects, version="1.34"))
    result = fit(pod, snapshot)
    if result.schedulable:
        assert result.fits
        return
    preemption = preempt(pod, snapshot, result)
    if preemption.nominated is None:
        assert not preemption.victims
        return
    ports = {port for victim in preemption.victims for port in snapshot.memory.load(victim).ports}
    for victim in preemption.victims:
        assert victim.spec.priority < pod.spec.priority
        snapshot = snapshot.remove(victim.key, preemption.nominated)
    # pods that share a host port cannot both run; the scheduler's books do not expect them
    if not ports:
        assert preemption.nominated in fit(pod, snapshot).fits
