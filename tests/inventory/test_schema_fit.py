"""Whether an inventory fits its schema, as the library that tells deviations has it."""

from __future__ import annotations

import copy
import random
from pathlib import Path

import pytest
import yaml
from jsonschema import Draft7Validator, FormatChecker

from kubelint_gpu.inventory.schema import schema
from kubelint_gpu.inventory.schema_fit import FORMATS, fits
from kubelint_gpu.kube.values.quantity import QuantityError

ROOT = Path(__file__).parents[2]
PLAIN = (None, True, 0, 1, -1, 1.0, 1.5, 70000, "", "1", "-1", "x" * 400, "A_b", "1g.5gb", "a=b:NoSchedule", [], {})
NAMES = ("", "count", "model", "mig", "example.com/gpu", "no such/key ", "names", "driver")


def _library():
    formats = FormatChecker(formats=())
    for name, check in FORMATS.items():
        formats.checks(name, QuantityError)(check)
    return Draft7Validator(schema(), format_checker=formats)


def _inventories():
    for path in sorted([*ROOT.glob("rules/*/*/*.inventory.yaml"), *ROOT.glob("examples/**/*.yaml")]):
        for found in yaml.load_all(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader):
            if isinstance(found, dict) and found.get("kind") == "ClusterInventory":
                yield found
    yield from schema()["examples"]


INVENTORIES = list(_inventories())


def _places(value):
    yield from ((value, key) for key in (value if isinstance(value, dict) else range(len(value))))
    for one in value.values() if isinstance(value, dict) else value:
        if isinstance(one, (dict, list)):
            yield from _places(one)


def _changed(inventory, chance):
    found = copy.deepcopy(inventory)
    container, key = chance.choice(list(_places(found)))
    donor, at = chance.choice(list(_places(chance.choice(INVENTORIES))))
    kind = chance.randrange(4)
    if kind == 0:
        container[key] = copy.deepcopy(chance.choice(PLAIN))
    elif kind == 1:
        container[key] = copy.deepcopy(donor[at])
    elif kind == 2:
        del container[key]
    elif isinstance(container, dict):
        container[at if isinstance(at, str) and chance.random() < 0.7 else chance.choice(NAMES)] = copy.deepcopy(
            donor[at]
        )
    return found


@pytest.mark.parametrize("seed", range(3))
def test_it_says_of_changed_inventories_what_the_library_says(seed):
    library, chance, seen = _library(), random.Random(seed), set()
    for _ in range(300):
        changed = _changed(chance.choice(INVENTORIES), chance)
        seen.add(library.is_valid(changed))
        assert fits(changed, schema()) is library.is_valid(changed), changed
    assert seen == {True, False}


def test_it_says_of_written_inventories_what_the_library_says():
    library = _library()
    assert [fits(one, schema()) for one in INVENTORIES] == [library.is_valid(one) for one in INVENTORIES]
    assert sum(fits(one, schema()) for one in INVENTORIES) > 50
