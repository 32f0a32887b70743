"""Asking the rules: what rests on objects that cannot be read is possible, and who was not asked is named."""

from __future__ import annotations

from checks_units import GPU_NODE, deployment, unit, world

from kubelint_gpu.documents import read
from kubelint_gpu.engine.asking import drafts_of, first_place, unread
from kubelint_gpu.work import limited
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import manifests

UNREADABLE = """\
---
apiVersion: v1
kind: Pod
metadata: {name: chat-1, namespace: serving, labels: {app: chat}}
spec: 3
"""


def stuck(more=""):
    return unit(deployment(), GPU_NODE % 1 + more)


def deadlock(one):
    (found,) = [draft for draft in drafts_of(one)[0] if draft.code == "KLG101"]
    return found


def test_what_rests_on_the_cluster_is_possible_beside_an_object_that_cannot_be_read():
    sure, unsure = deadlock(stuck()), deadlock(stuck(UNREADABLE))
    assert (sure.certainty, sure.effective_severity) == ("certain", "error")
    assert (unsure.certainty, unsure.effective_severity) == ("possible", "warning")
    assert unsure.message == f"as far as the inventory can be read, {sure.message}"
    assert unsure.identity == sure.identity


def test_rules_that_had_no_work_left_are_named():
    with limited(1):
        _, (told,) = drafts_of(stuck())
    assert "not asked about everything here" in told.message
    assert told.place == first_place(stuck())


def test_what_can_be_read_is_no_finding():
    assert unread(stuck()) == []


def test_what_others_name_is_missing_only_once_it_is_deleted():
    text = deployment(pod="priorityClassName: high").replace("      priorityClassName: serving\n", "")
    old = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 5\n"
    gone = manifests([read("old.yaml", old.encode())])
    for left, said in (((), ("certain", "error", "now")), (gone, ("possible", "warning", "later"))):
        here = ApplySet([read("a.yaml", text.encode())], world(), gone=left)
        (draft,) = (one for one in drafts_of(here)[0] if one.code == "KLG302")
        assert (draft.certainty, draft.effective_severity, draft.moment) == said
        assert draft.message.startswith("once PriorityClass high is deleted, as no manifest has it any more, ") is bool(
            left
        )
