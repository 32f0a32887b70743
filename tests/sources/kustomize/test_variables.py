"""Findings on objects with variables of Flux: where they stand, and how they are fixed."""

from __future__ import annotations

from flux_files import APPS, FROM, INVENTORY, KEYS, POD, SELECTED, VARS, repository

PINNED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: "${name:=chat}"}
spec:
  replicas: 1
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      priorityClassName: serving
      nodeSelector: {kubernetes.io/hostname: "${node}"}
      containers:
        - {name: main, image: a, resources: {limits: {nvidia.com/gpu: "${gpus}"}}}
"""


def test_a_field_leads_to_the_value_of_its_variable(check, tree):
    root = tree(**repository(FROM % ("ConfigMap", "vars"), **{"vars.yaml": VARS}))
    (found,) = check(root, ".", *SELECTED).findings
    assert (found["code"], found["path"], found["line"], found["column"]) == ("KLG503", "vars.yaml", 5, 9)
    related = [(one["path"], one["line"], one["message"]) for one in found["related"]]
    assert ("apps/pod.yaml", 12, "the value of this variable is filled in") in related
    assert ("clusters/apps.yaml", 5, "rendered by apps with Kustomization apps") in related


def test_the_value_of_a_secret_is_not_shown(check, tree):
    root = tree(**repository(FROM % ("Secret", "keys"), **{"keys.yaml": KEYS % "stringData: {gpus: '8'}"}))
    (found,) = check(root, ".", *SELECTED).findings
    assert (found["code"], found["path"], found["line"]) == ("KLG503", "apps/pod.yaml", 12)


def test_a_fix_changes_the_manifest_and_no_variable(check, tree):
    files = {"inventory.yaml": INVENTORY, "apps/chat.yaml": PINNED}
    files["clusters/apps.yaml"] = APPS % 'substitute: {gpus: "1", node: gpu-1}'
    root = tree(**files)
    ran = check(root, ".", *SELECTED)
    assert ran.told == [("KLG101", "apps/chat.yaml", 4)]
    assert check(root, ".", *SELECTED, "--fix").code == 0
    text = (root / "apps" / "chat.yaml").read_text()
    assert "maxSurge: 0" in text
    assert text.startswith(PINNED)
    assert (root / "clusters" / "apps.yaml").read_text() == files["clusters/apps.yaml"]


def test_a_fix_of_a_field_with_a_variable_is_not_offered(check, tree):
    files = {"inventory.yaml": INVENTORY, "apps/chat.yaml": PINNED}
    root = tree(**files, **{"clusters/apps.yaml": APPS % 'substitute: {gpus: "1", node: gpu-1}'})
    ran = check(root, ".", "-i", "inventory.yaml", "--select", "KLG203")
    (found,) = ran.findings
    assert (found["path"], found["line"], found["fixes"]) == ("clusters/apps.yaml", 8, [])


def test_an_object_of_a_kustomization_is_followed(check, tree):
    pods = {"clusters/kustomization.yaml": "resources: [apps.yaml]\n", "apps/pod.yaml": POD % ""}
    ran = check(tree(**repository('substitute: {gpus: "3"}', **pods)), ".", *SELECTED)
    assert ran.told == [("KLG503", "clusters/apps.yaml", 8)]
