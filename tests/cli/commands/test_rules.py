"""`kubelint-gpu rules`: the catalogue as a list."""

from __future__ import annotations

import json

from command_line import kubelint


def test_rules_are_listed_as_the_contract_says():
    ran = kubelint("rules", "--output-format", "json")
    listed = json.loads(ran.out)
    assert [tuple(rule) for rule in listed] == [("code", "name", "severity", "summary", "fix", "since", "url")] * len(
        listed
    )
    assert [rule["code"] for rule in listed] == sorted(rule["code"] for rule in listed)
    assert "KLG101" in kubelint("rules").out
