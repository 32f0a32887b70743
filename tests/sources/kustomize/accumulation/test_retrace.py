"""Variables: where a value comes from."""

from __future__ import annotations

from accumulated import DEPLOYMENT, POD, TOP, asked


def test_variables_are_filled_in(rendered):
    deployment = DEPLOYMENT.replace("command: [serve]", "command: [serve, --pods=$(PODS), $(PODS), $(OTHER)]")
    files = {
        "base/deployment.yaml": deployment,
        "top/kustomization.yaml": f"{TOP}vars:\n- name: PODS\n  objref: {{kind: Deployment, name: chat, apiVersion: apps/v1}}\n"
        "  fieldref: {fieldpath: spec.replicas}\n",
    }
    found = rendered(**files)
    for index in (1, 2, 3):
        got, answer = asked(found, (*POD, "containers", "server", "command", index))
        assert (got.partition(":")[0], answer.certain) == ("base/deployment.yaml", True)
    _, answer = asked(found, (*POD, "containers", "server", "command", 1))
    assert [writer.by for writer, _ in answer.before] == ["variable"]
