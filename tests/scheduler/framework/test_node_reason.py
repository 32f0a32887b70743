"""Reasons about nodes are the scheduler's text, and say the same of one node."""

from __future__ import annotations

import copy
import pickle

from kubelint_gpu.scheduler.framework.node_reason import NodeReason
from kubelint_gpu.scheduler.plugins import node_unschedulable, taint_toleration


def test_a_reason_is_the_text_of_the_scheduler():
    assert taint_toleration.REASON == "node(s) had untolerated taint(s)"
    assert taint_toleration.REASON.told == "had untolerated taint(s)"
    assert taint_toleration.REASON.of_one == "it had untolerated taint(s)"
    assert (node_unschedulable.REASON.told, node_unschedulable.REASON.of_one) == (
        "were unschedulable",
        "it is cordoned",
    )


def test_copies_of_a_reason_say_the_same():
    reason = NodeReason("exceed max volume count", "it exceeds it")
    for found in (copy.deepcopy(reason), pickle.loads(pickle.dumps(reason))):  # noqa: S301 - made above
        assert (found, found.told, found.of_one) == (reason, "exceed max volume count", "it exceeds it")
