"""What pods of the old template, and of others that change at the same moment, are to those of the new one."""

from __future__ import annotations

import pytest
from change_cases import SURGE, inventory, made
from change_cases import found as told_of

ZONES = ("a", "a", "a", "b")
SPREAD = (
    "topologySpreadConstraints: [{{maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule, "
    "labelSelector: {{matchLabels: {{app: {0}}}}}{1}}}]\n"
)
NEAR = (
    "affinity: {{podAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: "
    "[{{topologyKey: {1}, labelSelector: {{matchLabels: {{app: {0}}}}}}}]}}}}\n"
)
FIRST_GO = "strategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}\n"


def in_zones(*gpus):
    """Nodes in zones a, a, a and b."""
    text = inventory(*gpus)
    for number, zone in enumerate(ZONES, 1):
        text = text.replace(f"{{on: n{number}}}", f"{{on: n{number}, zone: {zone}}}")
    return text


def codes(before, after, cluster):
    return [(code, name) for code, name, _ in told_of(before, after, cluster)]


@pytest.mark.parametrize(("policy", "expected"), [("", []), (", nodeAffinityPolicy: Ignore", [("KLG109", "s")])])
def test_a_daemon_pod_is_spread_over_the_node_that_it_is_made_for(policy, expected):
    before = made("s", "", kind="DaemonSet")
    after = made("s", "", kind="DaemonSet", pod=SPREAD.format("s", policy))
    assert codes(before, after, in_zones(1, 1, 1, 1)) == expected


@pytest.mark.parametrize(("least", "stuck"), [(1, False), (2, True)])
def test_where_more_domains_are_wanted_a_daemon_pod_counts_what_is_on_its_node(least, stuck):
    web = made("web", replicas=2)
    agent = made("agent", "", kind="DaemonSet", pod=SPREAD.format("web", f", minDomains: {least}"))
    assert (("KLG109", "agent") in codes(web, web + agent, in_zones(4))) is stuck


@pytest.mark.parametrize("key", ["zone", "kubernetes.io/hostname"])
def test_daemon_pods_find_the_old_ones_that_they_must_be_near_to(key):
    before = made("s", SURGE, kind="DaemonSet")
    after = made("s", SURGE, kind="DaemonSet", pod=NEAR.format("s", key))
    assert codes(before, after, in_zones(2, 2, 2, 2)) == []
    new = codes("", after, in_zones(2, 2, 2, 2))
    assert ("KLG109", "s") in new


def test_new_pods_of_a_deployment_may_follow_the_old_ones_into_every_zone():
    before, after = (made("a", pod=pod, replicas=7) for pod in ("", NEAR.format("a", "zone")))
    assert codes(before, after, in_zones(2, 2, 2, 2)) == []
    assert codes("", after, in_zones(2, 2, 2, 2)) == [("KLG109", "a")]


def test_what_a_third_one_gives_up_is_there_for_a_pair():
    def pod(name, cpu, memory, strategy=""):
        return made(name, strategy, gpus=0).replace("nvidia.com/gpu: 0", f"cpu: {cpu}, memory: {memory}Gi")

    node = inventory(0).replace("cpu: 16, memory: 64Gi", "cpu: 10, memory: 40Gi")
    before = pod("a", 1, 20, FIRST_GO) + pod("b", 6, 10) + pod("c", 2, 1)
    after = pod("a", 1, 2, FIRST_GO) + pod("b", 1, 25) + pod("c", 7, 1)
    assert ("KLG106", "b") not in codes(before, after, node)
    assert ("KLG107", "c") in codes(before, after, node)
