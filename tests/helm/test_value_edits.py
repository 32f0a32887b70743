"""Fixes of charts: they change files of values."""

from __future__ import annotations

from helm_runs import place


def test_a_fix_changes_the_values_and_is_proven_by_a_render(check, example):
    before = (example / "tracker" / "values.yaml").read_text()
    check(example, ".", "-i", "inventory.yaml", "--fix")
    after = (example / "tracker" / "values.yaml").read_text()
    assert after == before.replace(
        "strategy: {}\n",
        "strategy:\n  type: RollingUpdate\n  rollingUpdate:\n    maxSurge: 0\n    maxUnavailable: 1\n",
    )
    assert {code for code, _, _ in check(example, ".", "-i", "inventory.yaml").told} == {"KLG203"}


def test_a_fix_that_no_value_offers_is_not_made(check, example):
    template = example / "tracker" / "templates" / "deployment.yaml"
    text = template.read_text()
    start, end = text.index("  {{- with .Values.strategy"), text.index("  selector:")
    template.write_text(text[:start] + text[end:])
    (found,) = check(example, ".", "-i", "inventory.yaml").findings
    assert place(found)[:3] == ("KLG101", "tracker/templates/deployment.yaml", 7)
    said = " ".join(check(example, ".", "-i", "inventory.yaml", "--output-format", "text").out.split())
    assert "the chart offers no value for it: change the template" in said


def test_a_fix_sets_a_value_that_the_template_knows_and_nobody_sets(check, example):
    values = example / "tracker" / "values.yaml"
    values.write_text(values.read_text().replace("strategy: {}\n", ""))
    (found,) = check(example, ".", "-i", "inventory.yaml").findings
    assert found["path"] == "tracker/templates/deployment.yaml"
    check(example, ".", "-i", "inventory.yaml", "--fix")
    assert "maxSurge: 0" in (example / "tracker" / "values-prod.yaml").read_text()
    assert "maxSurge" not in values.read_text()
