"""Rules as a SARIF log describes them."""

from __future__ import annotations

from report_samples import PIN, odd, report, rule
from sarif_runs import run_of


def test_the_rules_are_those_that_were_found_and_unknown_codes_describe_themselves():
    found = run_of(report(odd(1, 1, 2, code="KLG999", name="internal-error"), PIN, PIN))
    ids = [entry["id"] for entry in found["tool"]["driver"]["rules"]]
    assert ids == ["KLG203", "KLG999"]
    assert found["tool"]["driver"]["rules"][-1]["shortDescription"]["text"] == "Internal error."


def test_a_rule_says_what_github_reads():
    page = "# name\n\n| a | b |\n\n" + "word " * 400 + "\n"
    rules = {"KLG203": rule("KLG203", "hostname-pin", "note", "s" * 2000, page=page, tags=tuple("abcdefghijkl"))}
    entry = run_of(report(PIN, rules=rules))["tool"]["driver"]["rules"][0]
    assert entry["name"] == "hostname-pin"
    assert entry["help"]["markdown"] == page.strip()
    assert entry["fullDescription"]["text"].startswith("word word")
    assert len(entry["fullDescription"]["text"]) == len(entry["shortDescription"]["text"]) == 1024
    assert entry["defaultConfiguration"] == {"level": "note"}
    assert entry["properties"] == {
        "tags": list("abcdefghij"),
        "precision": "medium",
        "problem.severity": "recommendation",
    }
