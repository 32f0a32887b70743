"""Hooks that nobody runs are remarked, so that their objects are not passed over in silence."""

from __future__ import annotations

import pytest
from command_line import TRACKER, check_json

NODES = TRACKER / "nodes.yaml"


@pytest.mark.parametrize(
    ("hooks", "said"),
    [
        (["PreSync"], []),
        (["Foo"], ["Job a0 is not judged: neither Helm nor Argo CD knows the hook foo."]),
        (["Foo", "foo"], ["Job a0 and Job a1 are not judged: neither Helm nor Argo CD knows the hook foo."]),
        (['"F\\no"'], ["Job a0 is not judged: neither Helm nor Argo CD knows the hook f\\no."]),
    ],
)
def test_hooks_that_nobody_runs_are_remarked(tmp_path, hooks, said):
    job = "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: a%d\n  annotations: {argocd.argoproj.io/hook: %s}\n---\n"
    (tmp_path / "m.yaml").write_text("".join(job % pair for pair in enumerate(hooks)))
    assert check_json(tmp_path, "-i", NODES).json.get("remarks", []) == said
