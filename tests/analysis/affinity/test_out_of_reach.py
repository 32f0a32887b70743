"""Pods that must be near to others which only ever run where these never can."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit
from small_inventories import MOVED

from kubelint_gpu.analysis.affinity.out_of_reach import out_of_reach

NEAR = (
    "affinity: {podAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
    "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {app: db}}}]}}\n"
)


def on(node):
    return f"nodeSelector: {{kubernetes.io/hostname: {node}}}\n"


@pytest.mark.parametrize(("node", "nodes"), [("n1", None), ("n2", ("n2",))])
def test_company_is_out_of_reach_where_all_its_nodes_refuse_the_pod(node, nodes):
    found = unit(
        f"{deployment(name='web', pod=NEAR + on('n1'))}---\n{deployment(name='db', pod=on(node))}", MOVED % (2, 2)
    )
    told = out_of_reach(found, found.subjects[0])
    assert (told and told.nodes) == nodes
    assert told is None or told.others == ("Deployment/serving/db",)
