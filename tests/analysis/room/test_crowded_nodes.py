"""DaemonSets whose pods no node takes together."""

from __future__ import annotations

import pytest
from change_cases import inventory, made
from checks_units import findings

from kubelint_gpu.engine.causes import told_once


def daemons(*each, more=""):
    text = "".join(made(f"d{number}", "", gpus=gpus, kind="DaemonSet", more=more) for number, gpus in enumerate(each))
    found = told_once(findings(text.removeprefix("---\n"), inventory(2, 2), "KLG109"))
    return [(one.severity, one.message) for one in found]


PORT = "ports: [{containerPort: 80, hostPort: 80}]\n"


@pytest.mark.parametrize("each", [(1, 1), (2,)])
def test_daemon_sets_that_fit_together_are_silent(each):
    assert daemons(*each) == []


def test_daemon_sets_that_do_not_fit_together_are_one_error():
    ((severity, message),) = daemons(1, 1, 1)
    assert severity == "error"
    assert message.startswith(
        "DaemonSets serving/d0, serving/d1 and serving/d2 cannot all run: they ask for 6 nvidia.com/gpu of n1 and n2, which have 4; "
    )


def test_a_host_port_is_no_resource():
    ((severity, message),) = daemons(1, 1, more=PORT)
    assert severity == "error"
    assert message == (
        "DaemonSets serving/d0 and serving/d1 compete for host port 80 on n1 and n2: not all of their pods can run"
    )


def test_who_may_use_another_port_is_told_so():
    text = "".join(made(f"d{number}", "", kind="DaemonSet", more=PORT) for number in range(2))
    helps = [one.help for one in findings(text.removeprefix("---\n"), inventory(2, 2), "KLG109")]
    assert helps == [("give one of them other host ports, or nodes that the other one does not select",)] * 2


def test_daemon_pods_that_a_quota_refuses_are_told_with_it():
    quota = (
        "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: serving}\n"
        "spec: {hard: {requests.nvidia.com/gpu: 1}}\n"
    )
    text = made("d", "", kind="DaemonSet").removeprefix("---\n") + quota
    (one,) = findings(text, inventory(2, 2), "KLG109")
    assert one.message == (
        "of the pods that it makes for 2 nodes, 1 is refused by quota q, which allows 1 requests.nvidia.com/gpu and has 1 "
        "in use by its own pods; this is what the quota allows, not a rollout deadlock"
    )
