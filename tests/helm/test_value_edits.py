"""Fixes of charts: they change files of values."""

from __future__ import annotations

import pytest
from helm_runs import POD, chart, inventory, place


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


def with_placement(example, text):
    """The example with other values for where pods go, in a template that takes them."""
    template = example / "tracker" / "templates" / "deployment.yaml"
    taken = "      {{- with .Values.tolerations }}\n      tolerations: {{- toYaml . | nindent 8 }}\n      {{- end }}\n"
    template.write_text(template.read_text().replace("      containers:\n", f"{taken}      containers:\n"))
    (example / "tracker" / "values-prod.yaml").write_text(text)
    return example / "tracker" / "values-prod.yaml"


@pytest.mark.parametrize(
    ("code", "old", "new"),
    [
        ("KLG203", "kubernetes.io/hostname: gpu-1", "nvidia.com/gpu.product: NVIDIA-A100-PCIE-40GB"),
        ("KLG302", "vision-serving2", "vision-serving"),
        (
            "KLG202",
            "    operator: Exists\n# end",
            "    operator: Exists\n  - key: nvidia.com/gpu\n    operator: Exists\n    effect: NoSchedule\n# end",
        ),
    ],
)
def test_a_fix_changes_the_values_of_where_pods_go(check, example, code, old, new):
    inventory = example / "inventory.yaml"
    taint = "\n      taints: ['nvidia.com/gpu=present:NoSchedule']" if code == "KLG202" else ""
    inventory.write_text(inventory.read_text().replace("count: 2}", f"count: 2}}{taint}"))
    text = (
        "# of this cluster\nnodeSelector:\n  # the big ones\n"
        "  kubernetes.io/hostname: gpu-1 # pinned\n"
        "tolerations:\n  - key: a # first\n    operator: Exists\n# end\n"
        "priorityClassName: vision-serving2 # ours\n"
    )
    if code != "KLG302":
        text = text.replace("serving2", "serving")
    values = with_placement(example, text)
    asked = (example, ".", "-i", "inventory.yaml", "--select", code)
    check(*asked, "--fix", "--unsafe-fixes")
    assert values.read_text() == text.replace(old, new)


def test_a_strategy_of_values_is_replaced_by_another(check, example):
    text = "strategy:\n  type: RollingUpdate # as usual\n  rollingUpdate: {maxSurge: 1, maxUnavailable: 0}\n"
    (example / "tracker" / "values-prod.yaml").write_text(
        f"{text}nodeSelector: {{kubernetes.io/hostname: tracker-node}}\n"
    )
    (found,) = check(example, ".", "-i", "inventory.yaml", "--select", "KLG101").findings
    assert [one["title"].partition(",")[0] for one in found["fixes"]] == [
        "set maxSurge: 0 and maxUnavailable: 1",
        "set strategy type: Recreate",
    ]


AS_TEXT = """\
tolerations: |
  # of {{ .Release.Name }}
  - key: a # first
    operator: Exists
gpus: 1
"""


def test_a_fix_changes_a_text_that_the_template_evaluates(check, tree):
    pod = POD.replace("  containers", "  tolerations: {{- tpl .Values.tolerations . | nindent 4 }}\n  containers")
    files = inventory(chart({"templates/pod.yaml": pod}, values=AS_TEXT))
    taint = "count: 1}\n    taints: ['nvidia.com/gpu=present:NoSchedule']"
    root = tree({**files, "inventory.yaml": files["inventory.yaml"].replace("count: 1}", taint)})
    asked = (root, ".", "-i", "inventory.yaml", "--select", "KLG202")
    assert check(*asked).told == [("KLG202", "chart/values.yaml", 1)]
    check(*asked, "--fix", "--unsafe-fixes")
    more = "    operator: Exists\n  - key: nvidia.com/gpu\n    operator: Exists\n    effect: NoSchedule\n"
    assert (root / "chart" / "values.yaml").read_text() == AS_TEXT.replace("    operator: Exists\n", more)
