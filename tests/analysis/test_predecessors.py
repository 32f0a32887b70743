"""Whether a workload had pods before a change, and whether its template is another."""

from __future__ import annotations

from change_cases import KEEPS, found, inventory, made

PAUSED = f"{KEEPS}paused: true\n"
NONE = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: none}\n"


def told(before, after, cluster):
    return [(code, name) for code, name, _ in found(before, after, cluster)]


def test_a_paused_deployment_makes_no_pod_of_a_new_template():
    before = made("a", PAUSED, replicas=2)
    assert told(before, made("a", PAUSED, replicas=2, gpus=4), inventory(4)) == []
    assert told(before, made("a", PAUSED, replicas=4, gpus=4), inventory(4)) == []
    ((code, _, message),) = found(before, made("a", PAUSED, replicas=5, gpus=3), inventory(4))
    assert (code, message.partition(":")[0]) == ("KLG109", "only 4 of 5 replicas can run")
    assert told(NONE, made("a", PAUSED, gpus=2, replicas=9), inventory(4)) == []


def test_a_template_that_fitted_nowhere_before_left_no_pod_either():
    ((_, _, message),) = found(made("a", gpus=2), made("a"), inventory(1))
    assert message.startswith("this change starts it, and the next rollout never ends")
