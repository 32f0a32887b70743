"""Asking the rules: what rests on objects that cannot be read is possible, and who was not asked is named."""

from __future__ import annotations

from checks_units import GPU_NODE, deployment, unit

from kubelint_gpu.engine.asking import drafts_of, first_place, unread
from kubelint_gpu.work import limited

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
