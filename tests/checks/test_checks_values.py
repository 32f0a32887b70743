"""Values that the API server refuses: which one was meant, and quotes that are missing."""

from __future__ import annotations

import pytest
from checks_units import findings, unit

from kubelint_gpu.engine.repair import repair

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: a}}
spec:
  containers:
  - {{name: a, image: x{container}}}
{spec}
"""


def text(*, container="", spec=""):
    return POD.format(container=container and f", {container}", spec=f"  {spec}" if spec else "")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("tolerations: [{key: a, operator: Exist}]", "tolerations: [{key: a, operator: Exists}]"),
        (
            "tolerations: [{operator: Exists, effect: NoScheduled}]",
            "tolerations: [{operator: Exists, effect: NoSchedule}]",
        ),
        ("restartPolicy: always # ours", "restartPolicy: Always # ours"),
    ],
)
def test_a_value_that_is_nearly_an_allowed_one_is_corrected(wrong, right):
    repaired = repair(unit(text(spec=wrong), ""), unsafe=True)
    assert [finding.code for finding, _ in repaired.applied] == ["KLG003"]
    assert repaired.unit.readings[0].source.text == text(spec=right)
    assert not repair(unit(text(spec=wrong), ""), unsafe=False).applied


@pytest.mark.parametrize("container", ["ports: [{containerPort: 80, protocol: tcp}]"])
def test_the_value_that_was_meant_is_told(container):
    (found,) = findings(text(container=container), "", "KLG003")
    assert found.help == ("did you mean TCP?",)


@pytest.mark.parametrize("policy", ["Sometimes", "On", "5x"])
def test_nothing_is_suggested_for_what_is_near_to_nothing(policy):
    (found,) = findings(text(spec=f"restartPolicy: {policy}"), "", "KLG003")
    assert (found.help, found.fixes) == ((), ())


@pytest.mark.parametrize("value", ["1", "yes", "0x10", "1.50", "1e3"])
def test_a_number_or_boolean_is_quoted_as_it_is_written(value):
    repaired = repair(unit(text(container=f"env: [{{name: A, value: {value}}}]"), ""), unsafe=True)
    assert repaired.unit.readings[0].source.text == text(container=f'env: [{{name: A, value: "{value}"}}]')
    assert [fix.safety for _, fix in repaired.applied] == ["unsafe"]


@pytest.mark.parametrize("number", [2**31 - 1, 2**31])
@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_number_that_cannot_be_decoded_is_refused_in_a_field_that_is_dropped_too(kind, number):
    strategy = "strategy" if kind == "Deployment" else "serviceName: a\n  updateStrategy"
    written = (
        f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: a, namespace: d}}\nspec:\n  replicas: 1\n"
        f"  {strategy}: {{type: RollingUpdate, rollingUpdate: {{maxUnavailable: {number}}}}}\n"
        "  selector: {matchLabels: {app: a}}\n  template:\n    metadata: {labels: {app: a}}\n"
        "    spec: {containers: [{name: c, image: i:1}]}\n"
    )
    assert len(findings(written, "", "KLG003")) == (number > 2**31 - 1)
