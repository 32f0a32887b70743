"""JUnit: the same findings at the same places."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from command_line import TRACKER, check_json, kubelint

ARGUMENTS = (TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml")


@pytest.fixture(scope="module")
def found():
    return check_json(*ARGUMENTS).json


def written(name):
    return kubelint("check", *ARGUMENTS, "--output-format", name).out


def test_junit_has_the_same_findings(found):
    root = ET.fromstring(written("junit"))  # noqa: S314 our own output
    assert sorted(case.get("name") for case in root.iter("testcase")) == sorted(
        f"{one['code']} {one['name']} at {one['line']}:{one['column']}" for one in found["findings"]
    )
