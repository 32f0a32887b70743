"""Fixes on trial: which are offered, and why the others are not."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from checks_units import deployment, findings, unit

from kubelint_gpu.documents.editing import Edit, replace_scalar, set_key
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.asking import drafts_of
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.fixes.trials import Trials, changed_by, tried
from kubelint_gpu.engine.repair import repair
from kubelint_gpu.findings.finding import Fix, Refusal
from kubelint_gpu.work import charge, limited

GPUS = ("spec", "template", "spec", "containers", 0, "resources", "limits", "nvidia.com/gpu")
RECREATE = "strategy: {type: Recreate}\nreplicas: 1"


def trial(proposal, code="KLG000"):
    """What comes of a proposal for a Deployment that is in order."""
    found = unit(deployment(spec=RECREATE))
    manifest = found.manifests[0]
    draft = Diagnostic(
        code, manifest.place(("spec",)), "a finding", manifest, cause="a", proposals=(proposal(manifest),)
    )
    return list(tried(found, draft, drafts_of(found)[0]))


def test_a_change_that_would_bring_a_finding_is_refused_with_it():
    (found,) = trial(
        lambda manifest: FixCandidate("break it", "safe", lambda: [set_key(manifest.item, ("spec",), "replicas", -1)])
    )
    assert isinstance(found, Refusal)
    assert (found.title, found.safety) == ("break it", "safe")
    assert found.why.startswith("it would bring KLG003: ")


def test_a_change_that_the_text_does_not_allow_is_refused_with_the_reason():
    (found,) = trial(
        lambda manifest: FixCandidate("write it", "unsafe", lambda: [replace_scalar(manifest.item, ("spec",), "1")])
    )
    assert found == Refusal("write it", "unsafe", "the value is no scalar")


def test_changes_that_overlap_are_refused():
    def both(manifest):
        one = replace_scalar(manifest.item, ("spec", "replicas"), "2")
        two = Edit(one.path, one.span, "3")
        return [one, two]

    (found,) = trial(lambda manifest: FixCandidate("write both", "safe", lambda: both(manifest)))
    assert found == Refusal("write both", "safe", "two of its changes overlap")


def test_a_change_after_which_the_text_cannot_be_read_is_none():
    found = unit(deployment(spec=RECREATE))
    span = found.manifests[0].item.locate(("spec", "replicas"))
    with pytest.raises(NotEditable, match="could no longer be read"):
        changed_by(found, [Edit("a.yaml", span, "[1")])


def test_a_change_that_works_is_a_fix():
    (found,) = trial(
        lambda manifest: FixCandidate(
            "write 2", "safe", lambda: [replace_scalar(manifest.item, ("spec", "replicas"), "0")], of_amounts=True
        )
    )
    assert isinstance(found, Fix)
    assert found.verified


@pytest.mark.parametrize(
    ("pointer", "text", "why"),
    [
        (("spec", "replicas"), "0", "it would lower the replicas of Deployment serving/chat from 1 to 0"),
        (GPUS, "3", "it would change how many devices a pod of Deployment serving/chat asks for"),
    ],
)
def test_no_change_is_offered_that_asks_for_another_amount(pointer, text, why):
    (found,) = trial(
        lambda manifest: FixCandidate("change it", "safe", lambda: [replace_scalar(manifest.item, pointer, text)])
    )
    assert isinstance(found, Refusal)
    assert found.why == why


def test_the_second_fix_of_a_finding_is_tried_where_the_first_is_refused(monkeypatch):
    """A fix may hold by itself and not after others: then the next of the finding is tried."""
    found = unit(deployment())
    calls = []

    def once(changed, edits):
        calls.append(edits)
        if len(calls) == 1:
            raise NotEditable("not today")
        return changed_by(changed, edits)

    monkeypatch.setattr("kubelint_gpu.engine.repair.changed_by", once)
    repaired = repair(found, unsafe=True)
    assert [(finding.code, fix.title.split(",")[0]) for finding, fix in repaired.applied] == [
        ("KLG101", "set strategy type: Recreate")
    ]
    assert repaired.refused == ()


@pytest.mark.parametrize("key", ["replicas", "replica"])
def test_a_field_that_stands_misplaced_is_mended_first(key):
    written = f"{key}: 1\n" if key == "replica" else ""
    text = deployment(spec=f"strategy: {{type: Recreate}}\n{written}", pod="" if written else "replicas: 1")
    found = unit(text)
    manifest = found.manifests[0]
    add = FixCandidate("add it", "safe", lambda: [set_key(manifest.item, ("spec",), "replicas", 1)], must_prove=False)
    draft = Diagnostic("KLG000", manifest.place(("spec",)), "a finding", manifest, cause="a", proposals=(add,))
    (refused,) = tried(found, draft, drafts_of(found)[0])
    path = "spec.replica" if written else "spec.template.spec.replicas"
    assert refused == Refusal("add it", "safe", f"{path} was probably meant for it: mend that first (KLG002)")


def test_a_misplaced_toleration_is_moved_and_not_written_a_second_time():
    nodes = """\
        apiVersion: kubelint-gpu/v1
        kind: ClusterInventory
        nodes:
          - name: gpu-1
            allocatable: {cpu: 16, memory: 64Gi}
            gpus: {model: L4, count: 1}
            taints: ["nvidia.com/gpu=present:NoSchedule"]
        priorityClasses: [{name: serving, value: 1000}]
        """
    found = unit(deployment(spec=RECREATE, more="tolerations: # ours\n  - operator: Exists"), nodes)
    safe = repair(found, unsafe=False)
    assert not safe.applied
    assert [why for finding, why in safe.refused if finding.code == "KLG202"] == [
        (
            "tolerate nvidia.com/gpu=present:NoSchedule: spec.template.spec.containers[0].tolerations was probably meant "
            "for it: mend that first (KLG002)"
        )
    ]
    mended = repair(found, unsafe=True)
    assert [(finding.code, fix.title) for finding, fix in mended.applied] == [
        ("KLG002", "move tolerations to spec.template.spec")
    ]
    assert not mended.refused


@pytest.mark.parametrize("declared", [False, True])
def test_no_fix_is_verified_beside_a_claim_that_nobody_declares(declared):
    claim = (
        "---\napiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: models, namespace: serving}\n"
        "spec: {accessModes: [ReadWriteMany], resources: {requests: {storage: 1Gi}}}\n"
    )
    text = deployment(spec="replicas: 1", pod="volumes: [{name: v, persistentVolumeClaim: {claimName: models}}]")
    (found,) = findings(text + claim if declared else text, code="KLG101")
    assert {fix.verified for fix in found.fixes} == {declared}
    assert any("models is declared nowhere" in line for line in found.help) is not declared
    # how a manifest is written, no claim decides
    written = findings(text.replace("app: chat", "app: n"), code="KLG003")
    assert [one.help for one in written] == [()] * 2
    assert {fix.verified for one in written for fix in one.fixes} == {True}


def test_trials_of_a_large_rendered_unit_end_with_the_work_that_they_may_take():
    large = SimpleNamespace(rendered=(1,), has_nodes=True, subjects=range(64), manifests=range(64))
    with limited(1_000_000):
        trials = Trials(large)
        assert trials.spend()
        charge(200_000)
        assert not trials.spend()
    with limited(1_000_000):
        trials = Trials(large)
        assert [trials.spend() for _ in range(9)] == [True] * 8 + [False]


def test_a_trial_for_which_too_little_work_is_left_is_not_begun_and_says_so():
    found = unit(deployment(spec=RECREATE))
    with limited(1_000):
        trials = Trials(found, asked=400)
        assert trials.is_enough()
        charge(400)
        assert not trials.is_enough()
    manifest = found.manifests[0]
    proposal = FixCandidate("set it", "safe", lambda: [set_key(manifest.item, ("spec",), "replicas", 2)])
    draft = Diagnostic("KLG000", manifest.place(("spec",)), "a finding", manifest, cause="a", proposals=(proposal,))
    (refusal,) = tried(found, draft, [], is_enough=lambda: False)
    assert refusal.why.startswith("it was not tried: the work that one run may do was used up")
