"""Applications of Argo CD: charts of their own repository, rendered with their values."""

from __future__ import annotations

import pytest
from helm_runs import APPLICATION, POD, SELECTED, chart, inventory

CHART = chart({"templates/pod.yaml": POD, "prod.yaml": "gpus: 2\n"})


@pytest.mark.parametrize(
    ("written", "line", "path"),
    [
        ("valuesObject: {gpus: 2, greeting: 👋}", 10, "app.yaml"),
        ("values: |\n        # text\n        gpus: 2", 12, "app.yaml"),
        ("parameters: [{name: other, value: a}, {name: gpus, value: '2'}]", 10, "app.yaml"),
        ("parameters: [{name: 'a\\\\.b', value: c}, {name: gpus, value: '2', forceString: true}]", 10, "app.yaml"),
        ("valueFiles: [prod.yaml]", 1, "chart/prod.yaml"),
        ("valueFiles: [/chart/prod.yaml]", 1, "chart/prod.yaml"),
        ("valueFiles: [none.yaml, prod.yaml]\n      ignoreMissingValueFiles: true", 1, "chart/prod.yaml"),
        ("valueFiles: [prod.yaml]\n      parameters: [{name: gpus, value: '3'}]", 11, "app.yaml"),
    ],
)
def test_a_value_of_an_application_is_found_where_it_stands(check, tree, written, line, path):
    root = tree(inventory({**CHART, "app.yaml": APPLICATION % written}))
    ran = check(root, ".", *SELECTED)
    assert ran.told == [("KLG503", path, line)]
    assert ran.findings[0]["object"] == "Pod/vision/blue"


def test_sources_may_take_values_of_each_other(check, tree):
    source = "{repoURL: https://example.com/team/platform.git, "
    several = (
        f"  sources:\n  - {source}ref: all}}\n  - {source}path: chart, helm: {{valueFiles: [$all/envs/prod.yaml]}}}}\n"
    )
    app = APPLICATION.partition("  source:\n")[0] + several
    root = tree(inventory({**CHART, "app.yaml": app, "envs/prod.yaml": "gpus: 3\n"}))
    assert check(root, ".", *SELECTED).told == [("KLG503", "envs/prod.yaml", 1)]


def test_an_object_whose_source_is_overridden_is_a_note(check, tree):
    override = {"chart/.argocd-source.yaml": "helm: {parameters: [{name: gpus, value: '1'}]}\n"}
    root = tree(inventory({**CHART, **override, "app.yaml": APPLICATION % "valuesObject: {gpus: 2}"}))
    assert [(code, path) for code, path, _ in check(root, ".", *SELECTED).told] == [("KLG006", "app.yaml")]


@pytest.mark.parametrize(
    "text", ["directory:\n      recurse: true", "kustomize:\n      images: ['team/chat:2']\n      version: v5.0.0"]
)
def test_what_changes_nothing_of_where_pods_go_keeps_nobody_from_following(check, tree, text):
    app = APPLICATION.partition("    helm:")[0].replace("path: chart", "path: apps") + f"    {text}\n"
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n      image: a\n"
        "      resources: {limits: {nvidia.com/gpu: 2}}\n"
    )
    root = tree(inventory({"app.yaml": app, "apps/deep/pod.yaml": pod}))
    assert check(root, ".", *SELECTED).told == [("KLG503", "apps/deep/pod.yaml", 8)]


TARGETS = "targets:\n  small: inventory.yaml\n  'https://roomy.example.com': roomy.yaml\n  'apps/**': roomy.yaml\n"
ASKED = ("--select", "KLG503,KLG006,KLG000")


def sent_to(destination, values="valuesObject: {gpus: 2}"):
    return (APPLICATION % values).replace("destination: {", f"destination: {{{destination}, ")


@pytest.mark.parametrize(
    ("destination", "lines"),
    [("name: small", [10]), ("server: 'https://roomy.example.com'", []), ("name: unknown", [])],
)
def test_the_destination_of_an_application_chooses_the_cluster_of_its_chart(check, tree, destination, lines):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    files = {**CHART, "apps/app.yaml": sent_to(destination), "roomy.yaml": roomy, ".kubelint-gpu.yaml": TARGETS}
    ran = check(tree(inventory(files)), "apps", *ASKED)
    assert ran.told == [("KLG503", "apps/app.yaml", line) for line in lines]


def test_two_applications_may_send_one_chart_to_two_clusters(check, tree):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    green = sent_to("server: 'https://roomy.example.com'", "valuesObject: {gpus: 3}").replace(
        "name: blue", "name: green"
    )
    files = {**CHART, "a.yaml": sent_to("name: small"), "b.yaml": green, "roomy.yaml": roomy}
    ran = check(tree(inventory({**files, ".kubelint-gpu.yaml": TARGETS})), ".", *ASKED)
    assert [(one["code"], one["path"], one["object"]) for one in ran.findings] == [
        ("KLG503", "a.yaml", "Pod/vision/blue")
    ]


def test_the_destination_of_an_application_chooses_the_cluster_of_a_folder(check, tree):
    app = sent_to("name: small").partition("    helm:")[0].replace("path: chart", "path: apps")
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n      image: a\n"
    pod += "      resources: {limits: {nvidia.com/gpu: 2}}\n"
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    files = {"apps/pod.yaml": pod, "roomy.yaml": roomy, ".kubelint-gpu.yaml": TARGETS}
    assert check(tree(inventory(files)), ".", *ASKED).told == []
    root = tree(inventory({**files, "argo/app.yaml": app}))
    assert check(root, ".", *ASKED).told == [("KLG503", "apps/pod.yaml", 8)]
