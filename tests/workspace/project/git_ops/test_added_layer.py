"""Changes of GitOps objects to a folder: names, namespaces, replicas, patches and components."""

from __future__ import annotations

import pytest
from flux_files import INVENTORY

SELECTED = ("-i", "inventory.yaml", "--select", "KLG006,KLG109,KLG503")
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: flux-system}
spec:
  path: %s
  sourceRef: {kind: GitRepository, name: platform}
"""
ARGO = """\
apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web}
spec:
  destination: {namespace: %s}
  source:
    repoURL: https://example.com/team/platform.git
    path: %s
"""
WEB = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: %s}
spec:
  replicas: 1
  selector: {matchLabels: {app: web}}
  strategy: {type: Recreate}
  template:
    metadata: {labels: {app: web}}
    spec:
      priorityClassName: serving
      containers: [{name: main, image: a, resources: {limits: {nvidia.com/gpu: %d}}}]
"""
PATCH = """\
    - target: {kind: Deployment}
      patch: |
        - op: replace
          path: /spec/replicas
          value: 9
"""
BASE = {"inventory.yaml": INVENTORY, "apps/web/kustomization.yaml": "resources: [d.yaml]\n"}


def asked(ran):
    return sorted((one["code"], one["object"], one["path"], one["line"]) for one in ran.findings)


@pytest.mark.parametrize(
    ("fields", "objects", "line"),
    [
        ("  targetNamespace: blue\n", ["Deployment/blue/web"], 12),
        ("  namePrefix: a-\n  nameSuffix: -b\n  targetNamespace: blue\n", ["Deployment/blue/a-web-b"], 12),
        ("  components: [../more]\n", ["Deployment/red/web"], 12),
    ],
)
def test_flux_changes_names_and_namespaces(check, tree, fields, objects, line):
    component = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnamespace: red\n"
    more = {"flux/web.yaml": FLUX % "apps/web" + fields, "apps/more/kustomization.yaml": component}
    ran = check(tree(**BASE, **more, **{"apps/web/d.yaml": WEB % ("web", 7)}), ".", *SELECTED)
    assert asked(ran) == [("KLG503", name, "apps/web/d.yaml", line) for name in objects]


def test_a_patch_of_flux_is_found_where_it_stands(check, tree):
    folder = {"inventory.yaml": INVENTORY, "apps/web/d.yaml": WEB % ("web", 1)}
    ran = check(tree(**folder, **{"flux/web.yaml": FLUX % "./apps/web" + f"  patches:\n{PATCH}"}), ".", *SELECTED)
    assert asked(ran) == [("KLG109", "Deployment/web", "flux/web.yaml", 8)]


@pytest.mark.parametrize(
    ("fields", "found"),
    [
        ("replicas: [{name: web, count: 9}]", ("KLG109", "Deployment/green/web", "argo/web.yaml", 10)),
        ("replicas: [{name: web, count: '9'}]", ("KLG109", "Deployment/green/web", "argo/web.yaml", 10)),
        ("patches: [{path: p.yaml}]", ("KLG109", "Deployment/green/web", "argo/web.yaml", 10)),
        (
            "namespace: red\n      replicas: [{name: web, count: 9}]",
            ("KLG109", "Deployment/red/web", "argo/web.yaml", 11),
        ),
        (
            "nameSuffix: -x\n      commonLabels: {a: b}\n      replicas: [{name: web, count: 9}]",
            ("KLG109", "Deployment/green/web-x", "argo/web.yaml", 12),
        ),
    ],
)
def test_argo_cd_changes_names_replicas_and_patches(check, tree, fields, found):
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 9}\n"
    files = {"apps/web/d.yaml": WEB % ("web", 1), "apps/web/p.yaml": patch}
    text = ARGO % ("green", "apps/web") + f"    kustomize:\n      {fields}\n"
    assert asked(check(tree(**BASE, **files, **{"argo/web.yaml": text}), ".", *SELECTED)) == [found]


def test_a_namespace_of_argo_cd_is_only_for_objects_without_one(check, tree):
    files = {
        "plain/a.yaml": WEB % ("a", 7),
        "plain/b.yaml": (WEB % ("b", 7)).replace("{name: b}", "{name: b, namespace: mine}"),
        "plain/below/c.yaml": WEB % ("c", 7),
    }
    root = tree(**{"inventory.yaml": INVENTORY, "argo/web.yaml": ARGO % ("green", "plain"), **files})
    found = [name for _, name, _, _ in asked(check(root, ".", *SELECTED))]
    assert found == ["Deployment/c", "Deployment/green/a", "Deployment/mine/b"]


@pytest.mark.parametrize("file", ["metadata: {generateName: a-}\n", "metadata: {name: a}\n"])
def test_a_folder_that_kustomize_does_not_take_stays_as_it_is(check, tree, file):
    job = f"---\napiVersion: v1\nkind: ConfigMap\n{file}"
    files = {"plain/a.yaml": WEB % ("a", 7) + job + job, "argo/web.yaml": ARGO % ("green", "plain")}
    assert [name for _, name, _, _ in asked(check(tree(**BASE, **files), "plain", *SELECTED))] == ["Deployment/a"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (FLUX % "apps/web" + "  targetNamespace: [a]\n", "`targetNamespace` is no text"),
        (FLUX % "apps/web" + "  namePrefix: a-\n", "the folder has a `namePrefix`, too"),
        (FLUX % "." + "  namePrefix: a-\n", "`namePrefix` changes the root of the repository"),
        (FLUX % "apps/web" + "  components: [../../../etc]\n", "a component is not in this repository"),
        (FLUX % "apps/web" + "  components: ['https://example.com/a']\n", "a component is not in this repository"),
        (FLUX % "apps/web" + "  patches: [{patch: 1}]\n", "a patch is neither a text nor a file of this repository"),
        (
            ARGO % ("a", "apps/web") + "    kustomize: {patches: [{path: ../../../secret.yaml}]}\n",
            "a patch is neither a text nor a file of this repository",
        ),
        (
            ARGO % ("a", "apps/web") + "    kustomize: {replicas: [{name: web, count: many}]}\n",
            "a count of replicas is no number",
        ),
        (ARGO % ("a", "plain") + "    kustomize: {namespace: a}\n", "the folder has no kustomization"),
    ],
)
def test_what_is_not_followed_is_one_note(check, tree, text, said):
    files = {
        "apps/web/kustomization.yaml": "resources: [d.yaml]\nnamePrefix: b-\n",
        "apps/web/d.yaml": WEB % ("web", 1),
    }
    root = tree(**{**BASE, **files, "plain/a.yaml": WEB % ("a", 1), "argo/web.yaml": text})
    (note,) = [one for one in check(root, "argo", *SELECTED).findings if one["code"] == "KLG006"]
    assert (note["severity"], note["path"]) == ("note", "argo/web.yaml")
    assert said in note["message"]


def test_what_kustomize_refuses_is_told_at_the_object(check, tree):
    text = ARGO % ("a", "apps/web") + "    kustomize:\n      patches:\n        - patch: 'a: ['\n"
    root = tree(**BASE, **{"apps/web/d.yaml": WEB % ("web", 1), "argo/web.yaml": text})
    (found,) = check(root, ".", *SELECTED).findings
    assert (found["code"], found["path"], found["line"]) == ("KLG006", "argo/web.yaml", 10)
