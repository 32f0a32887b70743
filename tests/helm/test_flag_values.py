"""Values that `--set` and the configuration give."""

from __future__ import annotations

import pytest
from helm_runs import POD, SELECTED, chart, inventory, place

from kubelint_gpu.sources.helm.chart_render import values_of_flags, without_values
from kubelint_gpu.sources.helm.chart_values import ChartValues
from kubelint_gpu.sources.helm.helm_program import Release


@pytest.mark.parametrize(
    ("sets", "json_sets", "expected"),
    [
        (("a.b=1,c=x y",), (), {"a": {"b": 1}, "c": "x y"}),
        (("a=01", "b=true", "c=1.5", "d=null"), (), {"a": "01", "b": True, "c": "1.5", "d": None}),
        (("a=2",), ("a=1", 'b={"c": [1, 2]}'), {"a": 2, "b": {"c": [1, 2]}}),
        ((r"a\.b=1",), (), {"a.b": 1}),
    ],
)
def test_flags_give_values_as_helm_reads_them(sets, json_sets, expected):
    release = Release(sets=sets, json_sets=json_sets)
    assert ChartValues(list(values_of_flags(release))).merged == expected
    assert without_values(release) == Release()


@pytest.mark.parametrize("text", ["a={1,2}", "a[0]=1", r"a=1\,2", "a"])
def test_lists_and_items_of_lists_are_left_to_helm(text):
    release = Release(sets=(text,))
    assert list(values_of_flags(release)) == []
    assert without_values(release) == release


CONFIGURED = """\
charts:
  - path: chart
    set:
      other: 1
      gpus: 2
"""


def test_a_value_of_the_configuration_leads_to_its_line(check, tree):
    root = tree(inventory(chart({"templates/pod.yaml": POD}) | {".kubelint-gpu.yaml": CONFIGURED}))
    (found,) = check(root, ".", *SELECTED).findings
    assert place(found) == ("KLG503", ".kubelint-gpu.yaml", 5, 13)
    assert ("chart/templates/pod.yaml", 12) in {(one["path"], one["line"]) for one in found["related"]}


def test_a_value_of_a_flag_names_the_flag(check, tree):
    root = tree(inventory(chart({"templates/pod.yaml": POD})))
    (found,) = check(root, ".", *SELECTED, "--set", "other=1,gpus=2").findings
    assert place(found)[:3] == ("KLG503", "chart/templates/pod.yaml", 12)
    assert "--set gpus decides it" in [one["message"] for one in found["related"]]


def test_a_flag_does_not_hide_what_decides_another_field(check, tree):
    root = tree(inventory(chart({"templates/pod.yaml": POD}, values="gpus: 2\n")))
    assert check(root, ".", *SELECTED, "--set", "other={1,2}").told == [("KLG503", "chart/values.yaml", 1)]


def test_charts_of_one_unit_are_judged_together(check, tree):
    pod = POD.replace("  containers", "  restartPolicy: Always\n  containers")
    files = inventory(chart({"templates/pod.yaml": pod}))
    entry = "charts:\n" + "".join(f"  - {{path: chart, release: {name}%s}}\n" for name in ("blue", "green"))
    asked = (".", "-i", "inventory.yaml", "--select", "KLG1,KLG006,KLG000")
    assert check(tree({**files, ".kubelint-gpu.yaml": entry % ("", "")}), *asked).told == []
    ran = check(tree({**files, ".kubelint-gpu.yaml": entry % (", unit: both", ", unit: both")}), *asked)
    assert {code for code, _, _ in ran.told} == {"KLG109"}
    alone = check(tree({**files, ".kubelint-gpu.yaml": entry % (", unit: a", ", unit: b")}), *asked)
    assert alone.told == []
