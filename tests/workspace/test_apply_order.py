"""When objects are applied: hooks that no install or upgrade runs, what comes before the first install, and waves."""

from __future__ import annotations

from pathlib import Path

import pytest
from checks_units import GPU_NODE, deployment, findings, unit

from kubelint_gpu.workspace.apply_order import is_applied, is_before_install, turn_of, unknown_hooks

JOB = """\
---
apiVersion: batch/v1
kind: Job
metadata: {name: warm, namespace: serving, annotations: {%s}}
spec:
  template:
    spec:
      restartPolicy: Never
      priorityClassName: serving
      containers: [{name: main, image: a/b:1, resources: {limits: {nvidia.com/gpu: 1}}}]
"""
RECREATE = "strategy: {type: Recreate}"


def annotated(**annotations):
    keys = {"hook": "helm.sh/hook", "sync": "argocd.argoproj.io/hook", "wave": "argocd.argoproj.io/sync-wave"}
    return {"kind": "Job", "metadata": {"annotations": {keys[key]: value for key, value in annotations.items()}}}


@pytest.mark.parametrize(
    ("annotations", "applied", "before", "turn"),
    [
        ({}, True, False, (1, 0)),
        ({"hook": "pre-install"}, True, True, (0, 0)),
        ({"hook": "Pre-Install, pre-upgrade"}, True, False, (0, 0)),
        ({"hook": "post-upgrade"}, True, False, (2, 0)),
        ({"hook": "test"}, False, False, (1, 0)),
        ({"hook": "pre-delete,post-rollback"}, False, False, (1, 0)),
        ({"sync": "PreSync", "wave": "-2"}, True, False, (0, -2)),
        ({"sync": "SyncFail"}, False, False, (1, 0)),
        ({"sync": "Sync", "hook": "pre-install"}, True, False, (1, 0)),
        ({"wave": "5"}, True, False, (1, 5)),
        ({"wave": "one"}, True, False, (1, 0)),
        ({"wave": "9" * 5000}, True, False, (1, 0)),
        ({"wave": 5}, True, False, (1, 0)),
    ],
)
def test_annotations_say_when_an_object_is_applied(annotations, applied, before, turn):
    value = annotated(**annotations)
    assert (is_applied(value), is_before_install(value), turn_of(value)) == (applied, before, turn)


@pytest.mark.parametrize("value", [{}, {"metadata": None}, {"metadata": {"annotations": ["helm.sh/hook"]}}])
def test_what_has_no_annotations_is_no_hook(value):
    assert (is_applied(value), is_before_install(value), turn_of(value)) == (True, False, (1, 0))


def codes(hook):
    text = deployment(spec=RECREATE) + JOB % (f"helm.sh/hook: '{hook}'" if hook else "")
    return {(one.code, one.severity) for one in findings(text, GPU_NODE % 1) if one.severity != "note"}


def test_a_job_before_an_upgrade_runs_beside_the_old_pods_and_one_before_the_first_install_does_not():
    assert codes("") == codes("pre-install,pre-upgrade") == codes("post-install") == {("KLG109", "error")}
    assert codes("pre-install") == codes("pre-delete") == codes("post-rollback") == set()


def test_a_job_before_the_first_install_is_judged_by_itself():
    text = deployment(spec=RECREATE) + (JOB % "helm.sh/hook: pre-install").replace("gpu: 1", "gpu: 2")
    found = [one for one in findings(text, GPU_NODE % 1) if one.severity == "error"]
    assert [(one.code, one.object) for one in found] == [("KLG503", "Job/serving/warm")]
    assert [len(stage.subjects) for stage in unit(text, GPU_NODE % 1).stages] == [1, 1]


@pytest.mark.parametrize(("wave", "told"), [("0", True), ("1", False)])
def test_rollouts_of_other_waves_do_not_begin_at_the_same_moment(wave, told):
    bad = Path(__file__).resolve().parents[2] / "rules/KLG106-rollouts-block-each-other/bad"
    text = (bad / "spare-node-taken.yaml").read_text(encoding="utf-8")
    annotated = f"  name: mixtral\n  annotations: {{argocd.argoproj.io/sync-wave: '{wave}'}}\n"
    text = text.replace("  name: mixtral\n", annotated, 1)
    inventory = (bad / "spare-node-taken.inventory.yaml").read_text(encoding="utf-8")
    assert bool(findings(text, inventory, "KLG106")) is told


@pytest.mark.parametrize(
    ("annotations", "unknown"),
    [
        ({}, ()),
        ({"sync": "PreSync,SyncFail"}, ()),
        ({"sync": "Skip"}, ()),
        ({"hook": "test-success, pre-rollback"}, ()),
        ({"sync": "Foo"}, ("foo",)),
        ({"hook": "pre-upgrade,before-upgrade"}, ("before-upgrade",)),
    ],
)
def test_events_that_neither_helm_nor_argo_cd_knows_are_named(annotations, unknown):
    assert unknown_hooks(annotated(**annotations)) == unknown
