"""Drains that a budget blocks."""

from __future__ import annotations

import pytest
from change_cases import found, made
from change_cases import inventory as cluster
from checks_units import deployment, findings
from small_inventories import budget, inventory


def grows(most, at_least=0):
    return f"    autoscaling: {{min: {at_least}, max: {most}}}\n"


def codes(text, nodes):
    return sorted(found.code for found in findings(text, nodes))


FREE = deployment(spec="strategy: {type: Recreate}")


@pytest.mark.parametrize(
    ("line", "nodes", "expected"),
    [
        ("minAvailable: 1", inventory(), ["KLG112"]),
        ("minAvailable: 100%", inventory(), ["KLG112"]),
        ("maxUnavailable: 0", inventory(), ["KLG112"]),
        ("maxUnavailable: 1", inventory(), []),
        ("minAvailable: 0", inventory(), []),
        ("minAvailable: 1", inventory(nodes=2), ["KLG112"]),
        ("minAvailable: 1", inventory(scaling=grows(2)), ["KLG112"]),
        ("maxUnavailable: 1", inventory(scaling=grows(2)), []),
    ],
)
def test_a_drain_is_blocked_where_pods_have_nowhere_to_go_and_may_not_go(line, nodes, expected):
    assert codes(budget(line) + FREE, nodes) == expected


@pytest.mark.parametrize(
    ("budgets", "replicas", "nodes", "told", "helped", "fixed"),
    [
        (
            budget("minAvailable: 1"),
            1,
            inventory(1, 2),
            "never ends: PodDisruptionBudget chat allows no eviction even while its only pod is healthy",
            "with the node cordoned, kubectl rollout restart moves its pods to another node without an eviction",
            "set maxUnavailable: 1, which lets a drain take one pod at a time",
        ),
        (
            budget("minAvailable: 2"),
            2,
            inventory(1, 3),
            "never ends: PodDisruptionBudget chat allows no eviction even while all 2 pods are healthy",
            "with the node cordoned, kubectl rollout restart moves its pods to another node without an eviction",
            "set maxUnavailable: 1, which lets a drain take one pod at a time",
        ),
        (
            budget("minAvailable: 2"),
            3,
            inventory(3),
            (
                "stops half way: 3 of 3 pods find no room on another node, and PodDisruptionBudget chat allows no more than "
                "1 of them to be unavailable"
            ),
            "",
            "set maxUnavailable: 3, which lets a drain take 3 pods that find no room",
        ),
        (
            budget("maxUnavailable: 1") + budget("maxUnavailable: 1").replace("name: chat", "name: more", 1),
            1,
            inventory(1, 2),
            (
                "fails: PodDisruptionBudgets chat and more cover the same pods, and the eviction API refuses a pod with more "
                "than one"
            ),
            "leave one of the budgets, or let their selectors cover different pods",
            "",
        ),
    ],
)
def test_a_drain_that_does_not_end_says_why(budgets, replicas, nodes, told, helped, fixed):
    text = deployment(spec=f"replicas: {replicas}\nstrategy: {{rollingUpdate: {{maxSurge: 0, maxUnavailable: 1}}}}")
    (found,) = findings(budgets + text, nodes, "KLG112")
    assert found.message == f"draining a node with pods of Deployment serving/chat {told}"
    assert (found.help, [fix.title for fix in found.fixes]) == ((helped,) * bool(helped), [fixed] * bool(fixed))


def test_what_pods_ask_for_is_shown_only_where_they_find_no_room():
    def lines(text, nodes):
        (found,) = findings(text, nodes)
        return [one.message for one in found.related]

    held = budget("minAvailable: 1") + deployment(spec="strategy: {type: Recreate}")
    assert lines(held, inventory(1, 2)) == ["1 replica, all under the budget"]
    assert len(lines(held, inventory())) > 1


@pytest.mark.parametrize("nodes", [True, False])
@pytest.mark.parametrize(
    ("line", "more", "told"),
    [("minAvailable: 1", "", []), ("minAvailable: 0", "", ["KLG112"]), ("minAvailable: 1", "args: [x]", ["KLG112"])],
)
def test_a_drain_that_an_untouched_workload_blocked_before_is_not_told(line, more, told, nodes):
    stays = "strategy: {type: Recreate}\n"
    before = budget(line) + made("chat", stays)
    after = budget("minAvailable: 1") + made("chat", stays, more=more) + made("b", stays)
    assert [code for code, *_ in found(before, after, cluster(3) if nodes else "") if code == "KLG112"] == told


RUNS = """running:
  - {name: chat-1, namespace: serving, node: l4-1, labels: {app: chat}, owner: Cluster/serving/chat}
  - {name: chat-2, namespace: serving, node: l4-2, labels: {app: chat}, owner: Cluster/serving/chat}
  - {name: chat-3, namespace: serving, node: l4-2, labels: {app: chat}, owner: Job/serving/chat}
  - {name: chat-4, namespace: serving, node: l4-2, labels: {app: chat}, owner: DaemonSet/serving/chat}
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (budget("minAvailable: 4"), "draining l4-1 or l4-2 never ends: PodDisruptionBudget chat allows no eviction"),
        (budget("maxUnavailable: 0"), "draining l4-1 or l4-2 never ends: PodDisruptionBudget chat allows no eviction"),
        (budget("maxUnavailable: 1"), ""),
        (budget("minAvailable: 3"), ""),
        (
            budget("maxUnavailable: 1") + budget("maxUnavailable: 1").replace("name: chat", "name: more", 1),
            "draining l4-1 or l4-2 fails: PodDisruptionBudgets chat and more cover the same pods",
        ),
        (budget("maxUnavailable: 0", name="other"), ""),
    ],
)
def test_a_budget_may_hold_pods_that_only_the_inventory_has(text, told):
    messages = [one.message for one in findings(text, inventory(1, 2) + RUNS, code="KLG112")]
    assert bool(messages) == bool(told)
    assert all(one.startswith(told) for one in messages)
    # of pods that a manifest makes it is told with their workload
    with_maker = findings(text + FREE, inventory(1, 2) + RUNS, code="KLG112")
    assert all("Deployment serving/chat" in one.message for one in with_maker)
