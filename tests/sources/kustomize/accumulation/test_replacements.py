"""Replacements: where a value comes from."""

from __future__ import annotations

from accumulated import GPU, POD, asked

REPLACED = """\
resources: [../base]
configMapGenerator:
  - name: settings
    envs: [settings.env]
    literals: [ZONE=c]
replacements:
  - source: {kind: ConfigMap, name: settings, fieldPath: data.GPUS}
    targets:
      - select: {kind: Deployment}
        fieldPaths: ["spec.template.spec.containers.[name=server].resources.limits.[nvidia.com/gpu]"]
  - source: {kind: ConfigMap, name: settings, fieldPath: data.ZONE}
    targets:
      - select: {kind: Deployment}
        fieldPaths: [spec.template.spec.nodeSelector.zone]
"""


def test_a_replacement_leads_to_where_its_value_comes_from(rendered):
    files = {"top/kustomization.yaml": REPLACED, "top/settings.env": "# how many\nGPUS=2\n"}
    found = rendered(**files)
    got, answer = asked(found, GPU)
    assert (got, answer.certain) == ("top/settings.env: GPUS=2", True)
    assert [(writer.by, value) for writer, value in answer.before] == [("resource", 1), ("replacement", None)]
    assert asked(found, (*POD, "nodeSelector", "zone"))[0] == "top/kustomization.yaml: literals: [ZONE=c]"
    assert asked(found, ("data", "GPUS"), "ConfigMap")[0] == "top/settings.env: GPUS=2"
    assert asked(found, ("metadata", "name"), "ConfigMap")[0] == "top/kustomization.yaml: - name: settings"
