"""Beside which workloads Jobs run."""

from __future__ import annotations

import pytest
from change_cases import GIVES, KEEPS, RECREATE, findings_of, inventory, made
from checks_units import deployment, unit
from starving import NODES, job, told

from kubelint_gpu.builders.jobs.running_for_good import near_jobs, share_nodes


def test_the_pods_of_a_daemon_set_stay_where_they_are():
    daemons = deployment(name="agent").replace("kind: Deployment", "kind: DaemonSet")
    (found,) = told(daemons + job())
    assert (found.object, found.certainty) == ("Job/serving/once", "certain")
    assert told(daemons + job(), NODES.replace("count: 1", "count: 2")) == []


@pytest.mark.parametrize(("strategy", "certainty"), [(KEEPS, "certain"), (GIVES, "possible"), (RECREATE, "possible")])
def test_a_rollout_may_leave_its_room_to_a_job_that_waits(strategy, certainty):
    """Seen on a control plane 1.34: the pod of the Job takes the device that an old pod of Recreate gives up."""
    before, after = made("a", strategy), made("a", strategy, more="args: [x]")
    found = [one for one in findings_of(before, after + job(), inventory(1)) if one.object == "Job/serving/once"]
    assert [one.certainty for one in found if one.cause == "starving"] == [certainty]


NEAR = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: first}}}]}}\n"
)


def plain_job(name, pod=""):
    text = deployment(name=name, pod=f"restartPolicy: Never\n{pod}")
    text = text.replace("apps/v1", "batch/v1").replace("kind: Deployment", "kind: Job")
    return text.replace(f"  selector: {{matchLabels: {{app: {name}}}}}\n", "")


def test_jobs_near_to_others_and_on_the_same_nodes_are_found():
    found = unit(
        f"{plain_job('first')}---\n{plain_job('second', NEAR)}---\n{deployment(name='third', limits='{cpu: 1}')}"
    )
    first, second, third = found.subjects
    assert near_jobs(found, second) == [first]
    assert near_jobs(found, first) == []
    assert share_nodes(found, first, third)
