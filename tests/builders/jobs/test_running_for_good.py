"""Beside which workloads Jobs run."""

from __future__ import annotations

from checks_units import deployment
from starving import NODES, job, told


def test_the_pods_of_a_daemon_set_stay_where_they_are():
    daemons = deployment(name="agent").replace("kind: Deployment", "kind: DaemonSet")
    (found,) = told(daemons + job())
    assert (found.object, found.certainty) == ("Job/serving/once", "certain")
    assert told(daemons + job(), NODES.replace("count: 1", "count: 2")) == []
