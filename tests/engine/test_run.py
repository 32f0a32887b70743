"""What the rules say of a cluster."""

from __future__ import annotations

from checks_units import NODES, world

from kubelint_gpu.engine.run import findings_of_world


def test_an_inventory_that_cannot_be_used_ends_the_trust_in_a_run():
    assert findings_of_world(world(NODES), None) == ((), False)
    (found,), fatal = findings_of_world(world("apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes: 3\n"), None)
    assert (found.code, fatal) == ("KLG601", True)
