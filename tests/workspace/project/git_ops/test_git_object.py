"""`postBuild` of a Kustomization of Flux: which values its variables have."""

from __future__ import annotations

import json
import subprocess

import pytest
from flux_files import APPS, FROM, KEYS, POD, SELECTED, VARS, repository


def asked(ran):
    """The GPUs that the pods ask for, as the findings say."""
    return [one["message"].split("asks for ")[1].split(" ")[0] for one in ran.findings if one["code"] == "KLG503"]


def committed(root):
    (root / ".git").rmdir()
    for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a"]):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *command], cwd=root, check=True)


@pytest.mark.parametrize(
    ("post_build", "files", "gpus"),
    [
        ('substitute: {gpus: "3"}', {}, "3"),
        ('substitute: {gpus: "1\\n2"}', {}, "12"),
        (FROM % ("ConfigMap", "vars"), {"vars.yaml": VARS}, "5"),
        ('substitute: {gpus: "3"}\n    ' + FROM % ("ConfigMap", "vars"), {"vars.yaml": VARS}, "3"),
        (FROM % ("Secret", "keys"), {"keys.yaml": KEYS % "data: {gpus: Nw==}"}, "7"),
        (FROM % ("Secret", "keys"), {"keys.yaml": KEYS % "stringData: {gpus: '8'}"}, "8"),
        (
            "substituteFrom: [{kind: ConfigMap, name: vars}, {kind: Secret, name: keys}]",
            {"vars.yaml": VARS, "keys.yaml": KEYS % "data: {gpus: Nw==}"},
            "7",
        ),
        (FROM % ("ConfigMap", "vars"), {"clusters/vars.yaml": VARS, "other/vars.yaml": VARS.replace("5", "9")}, "5"),
        ('substitute: {tag: "2"}', {"apps/pod.yaml": (POD % "").replace("${gpus}", "${gpus:=6}")}, "6"),
        ("substituteStrategy: Always", {"apps/pod.yaml": (POD % "").replace("${gpus}", "${gpus:=6}")}, "6"),
        (
            'substitute: {tag: "2"}\n    substituteFrom: [{kind: Secret, name: none, optional: true}]',
            {"apps/pod.yaml": (POD % "").replace("${gpus}", "${gpus:=6}")},
            "6",
        ),
    ],
)
def test_variables_have_the_values_that_the_repository_gives_them(check, tree, post_build, files, gpus):
    ran = check(tree(**repository(post_build, **files)), ".", *SELECTED)
    assert asked(ran) == [gpus]
    assert [one for one in ran.told if one[0] == "KLG006"] == []


@pytest.mark.parametrize(
    ("post_build", "files", "said"),
    [
        (
            FROM % ("ConfigMap", "vars"),
            {},
            "ConfigMap vars, which may have a value of gpus, tag, is not in this repository",
        ),
        (FROM % ("ConfigMap", "vars"), {"a.yaml": VARS, "b.yaml": VARS}, "ConfigMap vars, which may have"),
        (
            FROM % ("Secret", "keys"),
            {"keys.yaml": KEYS % 'stringData: {gpus: "ENC[AES256_GCM,data:abc]"}'},
            "Secret keys has no readable value of gpus",
        ),
    ],
)
def test_what_the_repository_does_not_have_is_a_note_and_unknown(check, tree, post_build, files, said):
    ran = check(tree(**repository(post_build, **files)), ".", *SELECTED)
    assert asked(ran) == []
    note = next(one for one in ran.findings if one["code"] == "KLG006")
    assert (note["severity"], note["path"], note["line"]) == ("note", "clusters/apps.yaml", 8)
    assert said in note["message"]
    assert ("KLG003", "apps/pod.yaml", 12) in ran.told


def test_a_variable_that_only_an_optional_source_may_have_is_unknown(check, tree):
    post = 'substitute: {tag: "2"}\n    substituteFrom: [{kind: ConfigMap, name: none, optional: true}]'
    assert check(tree(**repository(post)), ".", *SELECTED).told == [("KLG003", "apps/pod.yaml", 12)]


def test_a_variable_that_nobody_declares_is_empty(check, tree):
    pod = (POD % "").replace("${gpus}", "2${gpus}")
    ran = check(tree(**repository('substitute: {tag: "2"}', **{"apps/pod.yaml": pod})), ".", *SELECTED)
    assert ran.told == []


def test_without_a_value_nothing_is_filled_in(check, tree):
    pod = (POD % "").replace("${gpus}", "${gpus}5")
    ran = check(tree(**repository("substitute: {}", **{"apps/pod.yaml": pod})), ".", *SELECTED)
    assert ran.told == [("KLG003", "apps/pod.yaml", 12)]


@pytest.mark.parametrize("key", ["labels", "annotations"])
def test_an_object_can_be_left_alone(check, tree, key):
    pod = POD % f"\n  {key}: {{kustomize.toolkit.fluxcd.io/substitute: disabled}}"
    ran = check(tree(**repository('substitute: {gpus: "3"}', **{"apps/pod.yaml": pod})), ".", *SELECTED)
    assert ran.told == [("KLG003", "apps/pod.yaml", 13)]


@pytest.mark.parametrize(
    ("post_build", "files", "place", "said"),
    [
        (
            'substitute: {gpus: "3"}',
            {"apps/pod.yaml": POD % "${{ a }}"},
            ("apps/pod.yaml", 2),
            "${{ a }} is no variable",
        ),
        ('substitute: {gpu-s: "3"}', {}, ("clusters/apps.yaml", 8), "Flux refuses the variable gpu-s"),
        ('substitute: {gpus: "a: b"}', {}, ("clusters/apps.yaml", 7), "the result is no YAML"),
        ('substitute: {gpus: "3"}', {"apps/more.yaml": "kind: [\n"}, ("apps/more.yaml", 1), "inside of brackets"),
    ],
)
def test_what_flux_refuses_is_an_error(check, tree, post_build, files, place, said):
    ran = check(tree(**repository(post_build, **files)), ".", *SELECTED[:3], "KLG006,KLG001")
    (found,) = ran.findings
    assert found["severity"] == "error"
    assert (found["path"], found["line"]) == place
    assert said in found["message"]


@pytest.mark.parametrize(
    ("post_build", "files", "said"),
    [
        ("substitute: {gpus: 3}", {}, "a value of `postBuild.substitute` is no text"),
        ("substituteFrom: [{kind: Pod, name: a}]", {}, "names no ConfigMap and no Secret"),
        ("substitute: {}\n  patchesJson6902: [a]", {}, "`patchesJson6902` changes what the folder holds"),
        ("substitute: {a: b}", {"apps/pod.yaml": "a: b\n"}, "the folder holds no objects"),
    ],
)
def test_what_is_not_followed_is_a_note(check, tree, post_build, files, said):
    ran = check(tree(**repository(post_build, **files)), "clusters", *SELECTED)
    (note,) = ran.findings
    assert (note["code"], note["severity"], note["path"]) == ("KLG006", "note", "clusters/apps.yaml")
    assert said in note["message"]


def test_a_folder_is_built_as_flux_builds_it(check, tree):
    files = {
        "apps/inner/kustomization.yaml": "resources: [pod.yaml]\nnamePrefix: in-\n",
        "apps/inner/pod.yaml": POD % "-inner",
        "apps/inner/unused.yaml": POD % "-unused",
        "apps/deep/er/pod.yml": POD % "-deep",
        "apps/.hidden/pod.yaml": POD % "-hidden",
        "apps/values.yaml": "a: b\n",
    }
    ran = check(tree(**repository('substitute: {gpus: "3"}', **files)), "clusters", *SELECTED)
    assert {name for one in ran.findings for name in one["objects"]} == {
        "Pod/main",
        "Pod/in-main-inner",
        "Pod/main-deep",
    }


def test_clusters_build_one_folder_each_with_its_values(check, tree):
    post = 'substitute: {gpus: "%d"}'
    files = {
        "clusters/a/apps.yaml": (APPS % (post % 3)).replace("./apps", "./apps/prod"),
        "clusters/b/apps.yaml": (APPS % (post % 4)).replace("./apps", "./apps/prod"),
        "clusters/b/kustomization.yaml": "resources: [apps.yaml]\n",
        "apps/prod/kustomization.yaml": "resources: [../base]\n",
        "apps/base/kustomization.yaml": "resources: [pod.yaml]\n",
        "apps/base/pod.yaml": POD % "",
    }
    root = tree(**repository(post % 1, **{"clusters/apps.yaml": "", "apps/pod.yaml": ""}) | files)
    whole = [("KLG503", f"clusters/{name}/apps.yaml", 8) for name in "ab"]
    assert check(root, ".", *SELECTED).told == whole
    assert check(root, "clusters/a", *SELECTED).told == whole[:1]
    committed(root)
    assert check(root, "apps", *SELECTED).told == whole
    assert check(root, "apps/base/pod.yaml", *SELECTED).told == whole


def test_a_kustomization_without_variables_builds_the_folder_as_it_lies(check, tree):
    files = {"clusters/b.yaml": APPS.replace("  postBuild:\n    %s\n", "").replace("apps,", "plain,")}
    ran = check(tree(**repository('substitute: {gpus: "3"}', **files)), ".", *SELECTED)
    assert ran.told == [("KLG003", "apps/pod.yaml", 12), ("KLG503", "clusters/apps.yaml", 8)]


def test_a_changed_value_is_compared_with_the_one_before(check, tree):
    root = tree(**repository(FROM % ("ConfigMap", "vars"), **{"clusters/vars.yaml": VARS.replace('"5"', '"1"')}))
    committed(root)
    (root / "clusters" / "vars.yaml").write_text(VARS.replace('"5"', '"2"'))
    ran = check(root, ".", "-i", "inventory.yaml", "--against", "HEAD", "--select", "KLG009")
    assert ran.told == [("KLG009", "clusters/vars.yaml", 5)]
    subprocess.run(["git", "add", "-A"], cwd=root, check=True)
    ran = check(root, "--hook", "clusters/vars.yaml", "-i", "inventory.yaml", "--select", "KLG009")
    assert ran.told == [("KLG009", "clusters/vars.yaml", 5)]


def test_without_kustomize_the_fields_are_unknown(check, tree):
    root = tree(**repository('substitute: {gpus: "3"}'))
    ran = check(root, ".", *SELECTED, "--kustomize", "./none", kustomize="")
    assert ran.told == [("KLG003", "apps/pod.yaml", 12), ("KLG006", "clusters/apps.yaml", 4)]
    assert ran.code == 0
    assert "there is no program ./none" in json.dumps(ran.findings)
