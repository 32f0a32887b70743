"""Fixes of charts: they change files of values."""

from __future__ import annotations

import textwrap

import pytest
from helm_runs import APPLICATION, POD, chart, inventory, place

from kubelint_gpu.documents import read
from kubelint_gpu.documents.editing import apply
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.fixes.value_edits import with_key, with_scalar, without
from kubelint_gpu.sources.helm.chart_values import values_of_object
from kubelint_gpu.sources.helm.given_values import GivenValues

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: {{ .Release.Name }}}
spec:
  strategy:
    {{- toYaml .Values.strategy | nindent 4 }}
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
""" + textwrap.indent(POD.partition("spec:\n")[2], "    ").replace("containers", "nodeName: gpu-1\n      containers")
DEFAULT = "gpus: 1\nstrategy: {type: RollingUpdate, rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}\n"
CHART = chart({"templates/a.yaml": DEPLOYMENT}, values=DEFAULT)
HERE = """\
# of the team
strategy:
  type: RollingUpdate # as usual

  rollingUpdate:
      maxSurge: 1   # one more
      maxUnavailable: 0
# end
"""
RELEASE = """\
apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata: {name: blue, namespace: vision}
spec:
  chart: {spec: {chart: ./chart, sourceRef: {kind: GitRepository, name: platform}}}
"""
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: mine, namespace: vision}\ndata:\n"
PARAMETERS = """\
parameters:
        - {name: strategy.rollingUpdate.maxSurge, value: '1'} # text
        - name: strategy.rollingUpdate.maxUnavailable
          value: '0'
"""


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
    no = "no single value of the chart was found that sets it so: change the template at"
    assert f"{no} tracker/templates/deployment.yaml:7" in said


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


ROLLING = "{maxSurge: 1, maxUnavailable: 0}"
BY_TERNARY = f"""\
  strategy:
    type: {{{{ ternary "Recreate" "RollingUpdate" (eq .Values.rollout "stop") }}}}
    rollingUpdate: {{{{ ternary "null" "{ROLLING}" (eq .Values.rollout "stop") }}}}
"""
BY_ELSE = f"""\
  {{{{- if .Values.alone }}}}
  strategy: {{type: Recreate}}
  {{{{- else }}}}
  strategy: {{type: RollingUpdate, rollingUpdate: {ROLLING}}}
  {{{{- end }}}}
"""
BY_NUMBER = "  {{- if eq (int .Values.volumes) 1 }}\n  strategy: {type: Recreate}\n  {{- end }}\n"


@pytest.mark.parametrize(
    ("template", "old", "new"),
    [
        (BY_TERNARY, "rollout: roll # or stop", "rollout: stop # or stop"),
        (BY_ELSE, "alone: false # one volume", "alone: true # one volume"),
        (BY_NUMBER, "volumes: 2 # of each", "volumes: 1 # of each"),
    ],
    ids=["ternary", "else", "number"],
)
def test_a_fix_changes_the_value_that_a_condition_of_the_template_asks(check, tree, template, old, new):
    start, end = DEPLOYMENT.index("  strategy:"), DEPLOYMENT.index("  selector:")
    files = chart({"templates/a.yaml": f"{DEPLOYMENT[:start]}{template}{DEPLOYMENT[end:]}"}, values=f"gpus: 1\n{old}\n")
    root = tree(inventory(files))
    assert [code for code, _, _ in check(root, ".", *ASKED).told] == ["KLG101"]
    check(root, ".", *ASKED, "--fix", "--unsafe-fixes")
    assert (root / "chart" / "values.yaml").read_text() == f"gpus: 1\n{new}\n"
    assert check(root, ".", *ASKED).told == []


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


def block(key, spaces):
    margin = " " * spaces
    return f"{key}: |\n{textwrap.indent(HERE, margin)}"


PLACES = {
    "valuesObject of an Application": APPLICATION % f"valuesObject:\n{textwrap.indent(HERE, ' ' * 8)}",
    "values of an Application": APPLICATION % block("values", 9),
    "parameters of an Application": APPLICATION % PARAMETERS,
    "values of a HelmRelease": f"{RELEASE}  values:\n{textwrap.indent(HERE, ' ' * 4)}",
    "a ConfigMap of valuesFrom": f"{RELEASE}  valuesFrom: [{{kind: ConfigMap, name: mine}}]\n---\n"
    f"{CONFIG_MAP}  {block('values.yaml', 4)}  other: a\n",
}
FIXED = (
    ("maxSurge: 1 ", "maxSurge: 0 "),
    ("maxUnavailable: 0", "maxUnavailable: 1"),
    ("maxSurge, value: '1'", 'maxSurge, value: "0"'),
    ("value: '0'", 'value: "1"'),
)
ASKED = ("-i", "inventory.yaml", "--select", "KLG101,KLG006,KLG000")


@pytest.mark.parametrize("text", PLACES.values(), ids=PLACES)
def test_a_fix_changes_the_values_where_they_stand(check, tree, text):
    root = tree(inventory({**CHART, "app.yaml": text}))
    assert [code for code, _, _ in check(root, ".", *ASKED).told] == ["KLG101"]
    check(root, ".", *ASKED, "--fix")
    expected = text
    for old, new in FIXED:
        expected = expected.replace(old, new)
    assert (root / "app.yaml").read_text() == expected
    assert (root / "chart" / "values.yaml").read_text() == DEFAULT
    assert check(root, ".", *ASKED).told == []


def test_a_fix_sets_what_nobody_sets_in_the_list_of_parameters(check, tree):
    files = chart({"templates/a.yaml": DEPLOYMENT}, values="gpus: 1\n")
    text = APPLICATION % "parameters:\n        - {name: strategy.type, value: RollingUpdate} # text\n"
    root = tree(inventory({**files, "app.yaml": text}))
    check(root, ".", *ASKED, "--fix")
    after = (root / "app.yaml").read_text()
    assert after.startswith(text.rstrip("\n"))
    assert 'name: strategy.rollingUpdate.maxSurge, value: "0"' in after
    assert check(root, ".", *ASKED).told == []


def test_a_text_that_is_not_edited_is_named_as_the_reason(check, tree):
    text = '"strategy: {rollingUpdate: {maxSurge: 1}}\\ngpus: 1"'
    root = tree(inventory({**CHART, "app.yaml": APPLICATION % f"values: {text}"}))
    assert "the value that decides it stands in a text that is not edited" in check(root, ".", *ASKED, "--fix").err


OBJECT = """\
a:
- name: x.y
  value: '1'
- name: b\\.c
  value: text
"""


def parameters():
    reading = read("app.yaml", OBJECT.encode())
    return reading.source, values_of_object(reading, GivenValues("app.yaml", "parameters", 0, ("a",)))


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (lambda part: with_scalar(part, ("x", "y"), 2), OBJECT.replace("'1'", '"2"')),
        (lambda part: with_scalar(part, ("b.c",), True), OBJECT.replace("text", '"true"')),
        (lambda part: with_key(part, ("x",), "y", 3), OBJECT.replace("'1'", '"3"')),
        (lambda part: with_key(part, ("x",), "d.e", {"f": 1}), OBJECT + '- name: "x.d\\\\.e.f"\n  value: "1"\n'),
        (lambda part: without(part, ("b.c",)), OBJECT.partition("- name: b")[0]),
    ],
)
def test_parameters_are_set_as_helm_takes_them(edit, expected):
    source, part = parameters()
    assert apply(source, [edit(part)]) == expected


@pytest.mark.parametrize(
    "edit",
    [
        lambda part: with_scalar(part, ("x", "y"), "a,b"),
        lambda part: with_scalar(part, ("x", "y"), None),
        lambda part: with_key(part, ("x",), "y", {"z": 1}),
        lambda part: with_key(part, ("x",), "z", [1]),
        lambda part: with_key(part, ("x",), "z=", 1),
        lambda part: with_key(part, ("x",), "z", {}),
        lambda part: without(part, ("x",)),
    ],
)
def test_what_a_parameter_cannot_set_is_not_edited(edit):
    with pytest.raises(NotEditable):
        edit(parameters()[1])
