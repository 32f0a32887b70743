"""Names in an anonymous inventory."""

from __future__ import annotations

import json

from kubelint_gpu.inventory.capture.pseudonyms import Pseudonyms


def test_names_that_are_built_from_others_still_are():
    pod = {
        "kind": "Pod",
        "metadata": {
            "name": "team-rocket-7c9d-x2x4z",
            "namespace": "alpha",
            "labels": {"pod-template-hash": "7c9d", "owner": "alice"},
            "ownerReferences": [{"kind": "ReplicaSet", "name": "team-rocket-7c9d", "controller": True}],
        },
        "spec": {
            "nodeName": "ip-10-1-2-3.corp.example",
            "nodeSelector": {"nvidia.com/gpu.product": "A100", "count": "3"},
        },
    }
    names = Pseudonyms([pod])
    found = names.renamed(pod)
    owner = found["metadata"]["ownerReferences"][0]["name"]
    assert found["metadata"]["name"].startswith(owner + "-")
    assert owner.rpartition("-")[2] == found["metadata"]["labels"]["pod-template-hash"]
    assert owner.rpartition("-")[0] == names.text("team-rocket")
    assert found["spec"]["nodeSelector"]["nvidia.com/gpu.product"] == "A100"
    for private in ("rocket", "alpha", "alice", "10-1", "corp", "example"):
        assert private not in json.dumps(found)
