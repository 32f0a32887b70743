"""NodePorts: the table of its specification."""

from __future__ import annotations

import pytest
from plugin_objects import node, pod, verdicts

U, UU = "Unschedulable", "UnschedulableAndUnresolvable"
PORTS = (U, "node(s) didn't have free ports for the requested pod ports")


def ports(*wanted, name="c", **more):
    return {"containers": [{"name": name, "ports": [dict(one) for one in wanted]}], **more}


@pytest.mark.parametrize(
    ("incoming", "existing", "verdict"),
    [
        (ports({"hostPort": 80}), ports({"hostPort": 80, "protocol": "UDP"}), None),
        (ports({"hostPort": 80, "hostIP": "10.0.0.1"}), ports({"hostPort": 80, "hostIP": "10.0.0.2"}), None),
        (ports({"hostPort": 80, "hostIP": "10.0.0.1"}), ports({"hostPort": 80}), PORTS),
        (ports({"hostPort": 80}), ports({"hostPort": 80, "hostIP": "10.0.0.1"}), PORTS),
        (ports({"hostPort": 80, "hostIP": "::"}), ports({"hostPort": 80, "hostIP": "10.0.0.2"}), None),
        (ports({"containerPort": 9100}, hostNetwork=True), ports({"containerPort": 9100}, hostNetwork=True), PORTS),
        (ports({"containerPort": 9100}), ports({"containerPort": 9100}, hostNetwork=True), None),
        ({"initContainers": [{"name": "i", "ports": [{"hostPort": 80}]}]}, ports({"hostPort": 80}), None),
        (
            {"initContainers": [{"name": "i", "restartPolicy": "Always", "ports": [{"hostPort": 80}]}]},
            ports({"hostPort": 80}),
            PORTS,
        ),
    ],
)
def test_host_ports_are_compared_by_protocol_number_and_address(incoming, existing, verdict):
    assert verdicts(pod(**incoming), node("n"), pod("other", "n", **existing)) == {"n": verdict}
