"""`kubelint-gpu inventory`: the schema, whether a file is valid, and what it declares."""

from __future__ import annotations

import json

from command_line import kubelint


def test_inventory_commands():
    schema = json.loads(kubelint("inventory", "schema").out)
    assert schema["$schema"].startswith("http://json-schema.org/draft-07/schema")
    valid = kubelint("inventory", "validate", "examples/tracker/inventory.yaml")
    assert (valid.code, valid.out) == (0, "examples/tracker/inventory.yaml: a valid inventory of 10 nodes\n")
    table = kubelint("inventory", "show", "examples/tracker/nodes.yaml")
    assert table.code == 0
    assert "tracker-node" in table.out
    assert json.loads(kubelint("inventory", "show", "examples/tracker/nodes.yaml", "--output-format", "json").out)
