"""GitLab: the same findings at the same places."""

from __future__ import annotations

import json

import pytest
from command_line import TRACKER, check_json, kubelint

ARGUMENTS = (TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml")


@pytest.fixture(scope="module")
def found():
    return check_json(*ARGUMENTS).json


def written(name):
    return kubelint("check", *ARGUMENTS, "--output-format", name).out


def test_gitlab_has_the_same_findings(found):
    issues = json.loads(written("gitlab"))
    assert [(issue["fingerprint"], issue["check_name"], issue["location"]["lines"]["begin"]) for issue in issues] == [
        (one["fingerprint"], one["name"], one["line"]) for one in found["findings"]
    ]
    named = {issue["description"] for issue in issues}
    assert named == {
        f"{one['code']}: Deployment {one['object'].partition('/')[2]}: {one['message']}" for one in found["findings"]
    }
