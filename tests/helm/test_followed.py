"""Objects of Argo CD and Flux: charts of their own repository, rendered with their values."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helm_runs import APPLICATION, HELM_RELEASE, PLATFORM_CHART, SELECTED, committed, git, inventory, place
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.workspace.project.git_ops.followed import _KINDS, followed

KEYS = st.sampled_from(
    [
        *("source", "sources", "helm", "path", "ref", "repoURL", "values", "valuesObject", "valueFiles", "parameters"),
        *(
            "destination",
            "namespace",
            "chart",
            "spec",
            "sourceRef",
            "kind",
            "name",
            "value",
            "releaseName",
            "targetNamespace",
        ),
        *("valuesFiles", "directory", "kustomize", "ignoreMissingValueFiles", "fileParameters"),
    ]
)
PLATFORM = Path(__file__).resolve().parent.parent.parent / "examples" / "platform"
RELEASE = f"{HELM_RELEASE}%s\n"
MINE = """
---
apiVersion: v1
kind: ConfigMap
metadata: {name: mine, namespace: vision}
data:
  values.yaml: |
    gpus: 2
"""
ONE = MINE.replace("mine", "one").replace("values.yaml: |\n    gpus: 2", "count: '2'")
LINES = {"big.yaml": 10, "envs/big.yaml": 1}


@pytest.fixture
def platform(tmp_path):
    """A copy of the example, below a path as its objects name it."""
    shutil.copytree(PLATFORM, tmp_path / "examples" / "platform")
    (tmp_path / ".git").mkdir()
    return tmp_path / "examples" / "platform"


def test_a_platform_is_judged_as_a_whole(check, platform):
    ran = check(platform, ".", "--kustomize", "./none", "--select", "KLG101,KLG503,KLG006,KLG000")
    told = {(*place(one)[:2], one["object"]) for one in ran.findings}
    assert told == {
        ("KLG101", "charts/serving/values.yaml", "Deployment/chat/chat"),
        ("KLG503", "flux/embeddings.yaml", "Deployment/search/embeddings"),
        ("KLG006", "flux/embeddings.yaml", "HelmRelease/gpu-operator/gpu-operator"),
    }
    deadlock = next(one for one in ran.findings if one["code"] == "KLG101")
    related = {(one["path"], one["line"]) for one in deadlock["related"]}
    assert {("argocd/chat.yaml", 15), ("argocd/chat.yaml", 18)} <= related


@pytest.mark.parametrize(
    ("more", "line", "path"),
    [
        ("  values: {gpus: 2}", 9, "release.yaml"),
        (f"  valuesFrom: [{{kind: ConfigMap, name: mine}}]{MINE}", 16, "release.yaml"),
        (f"  valuesFrom: [{{kind: ConfigMap, name: mine}}]\n  values: {{gpus: 3}}{MINE}", 10, "release.yaml"),
        ("      valuesFiles: [chart/values.yaml, ./chart/prod.yaml]", 1, "chart/prod.yaml"),
        (
            f"  valuesFrom: [{{kind: ConfigMap, name: one, valuesKey: count, targetPath: gpus}}]\n  values: {{}}{ONE}",
            16,
            "release.yaml",
        ),
    ],
)
def test_a_value_of_a_helm_release_is_found_where_it_stands(check, tree, more, line, path):
    root = tree(inventory({**PLATFORM_CHART, "release.yaml": RELEASE % more}))
    (found,) = check(root, ".", *SELECTED).findings
    assert place(found)[:3] == ("KLG503", path, line)
    assert found["object"] == "Pod/vision/blue"


@pytest.mark.parametrize(
    "text",
    [
        APPLICATION % "fileParameters: [{name: a, path: b}]",
        APPLICATION % "valueFiles: [none.yaml]",
        APPLICATION % "valueFiles: [../../outside.yaml]",
        APPLICATION % "releaseName: A_b",
        APPLICATION % "values: 'a: ['",
        APPLICATION % "parameters: [{name: 'pods[1].gpus', value: '2'}]",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: a}\nspec: {sources: {a: b}}\n",
        (APPLICATION % "values: ''").replace("path: chart", "path: ../chart"),
        (APPLICATION % "values: ''").replace("path: chart", "chart: chart"),
        (APPLICATION % "values: ''").replace("path: chart", "path: [1]"),
        (APPLICATION % "values: ''").replace("helm:", "plugin:"),
        (APPLICATION % "namePrefix: a-").replace("helm:", "kustomize:"),
        (APPLICATION % "exclude: '*.yaml'").replace("helm:", "directory:"),
        RELEASE % "  valuesFrom: [{kind: ConfigMap, name: a}]",
        RELEASE % "  valuesFrom: [{kind: Secret, name: mine}]",
        RELEASE % "  valuesFrom: [{kind: ConfigMap, name: mine, targetPath: gpus}]" + MINE,
        RELEASE % "  valuesFrom: [{kind: ConfigMap, name: mine}]" + MINE + MINE,
        RELEASE % "  valuesFrom: [{kind: ConfigMap, name: mine, valuesKey: [1]}]" + MINE,
        RELEASE % "      valuesFiles: [chart/prod.yaml]",
        RELEASE % "  postRenderers: [{kustomize: {}}]",
        (RELEASE % "").replace("GitRepository", "HelmRepository"),
        "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: a}\nspec: {}\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: []\nspec: {sources: [1, {}, {path: chart}]}\n",
    ],
)
def test_an_object_that_is_not_followed_is_a_note(check, tree, text):
    root = tree(inventory({**PLATFORM_CHART, "app.yaml": text}))
    assert [(code, path) for code, path, _ in check(root, ".", *SELECTED).told] == [("KLG006", "app.yaml")]


@pytest.mark.parametrize(
    ("remote", "here"),
    [
        ("git@example.com:team/platform.git", True),
        ("https://example.com/Team/Platform", True),
        ("https://example.com/other/platform.git", False),
        ("/srv/git/other", True),
    ],
)
def test_a_source_is_this_repository_if_a_remote_says_so(check, tree, remote, here):
    root = tree(inventory({**PLATFORM_CHART, "app.yaml": APPLICATION % "valuesObject: {gpus: 2}"}))
    (root / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n')
    codes = {code for code, _, _ in check(root, ".", *SELECTED).told}
    assert codes == ({"KLG503"} if here else {"KLG006"})


def test_without_helm_an_object_is_a_note(check, tree):
    root = tree(inventory({**PLATFORM_CHART, "app.yaml": APPLICATION % "valuesObject: {gpus: 2}"}))
    ran = check(root, "app.yaml", *SELECTED, helm=None, env={"PATH": "/usr/bin:/bin"})
    assert [(code, path) for code, path, _ in ran.told] == [("KLG006", "app.yaml")]


def test_a_fix_changes_the_object(check, platform):
    app = platform / "argocd" / "chat.yaml"
    app.write_text(
        app.read_text().replace(
            "        nodeSelector:\n", "        strategy: {type: RollingUpdate}\n        nodeSelector:\n"
        )
    )
    check(platform, ".", "--kustomize", "./none", "--select", "KLG101", "--fix")
    assert "maxSurge: 0" in app.read_text()
    assert "maxSurge" not in (platform / "charts" / "serving" / "values.yaml").read_text()


def test_a_repository_of_flux_has_an_address(check, tree):
    repository = (
        "apiVersion: source.toolkit.fluxcd.io/v1\nkind: GitRepository\nmetadata: {name: platform}\n"
        "spec: {url: https://example.com/other/thing}\n"
    )
    root = tree(inventory({**PLATFORM_CHART, "release.yaml": RELEASE % "  values: {gpus: 2}", "flux.yaml": repository}))
    (root / ".git" / "config").write_text('[remote "origin"]\n\turl = https://example.com/team/platform.git\n')
    assert [(code, path) for code, path, _ in check(root, ".", *SELECTED).told] == [("KLG006", "release.yaml")]


def test_a_hook_knows_the_objects_that_name_a_file_of_values(check, tree):
    app = APPLICATION % "valueFiles: [../envs/prod.yaml]"
    root = tree(inventory({**PLATFORM_CHART, "app.yaml": app, "envs/prod.yaml": "gpus: 1\n"}))
    committed(root)
    (root / "envs" / "prod.yaml").write_text("gpus: 2\n")
    git(root, "add", "-A")
    ran = check(root, "--hook", "envs/prod.yaml", "-i", "inventory.yaml")
    assert ran.told == [("KLG009", "envs/prod.yaml", 1)]


def test_a_hook_knows_the_releases_that_take_values_from_a_config_map(check, tree):
    few = MINE.removeprefix("\n---\n").replace("gpus: 2", "gpus: 1")
    release = RELEASE % "  valuesFrom: [{kind: ConfigMap, name: mine}]"
    root = tree(inventory({**PLATFORM_CHART, "release.yaml": release, "config.yaml": few}))
    committed(root)
    (root / "config.yaml").write_text(few.replace("gpus: 1", "gpus: 2"))
    git(root, "add", "-A")
    ran = check(root, "--hook", "config.yaml", "-i", "inventory.yaml")
    assert ran.told == [("KLG009", "config.yaml", 6)]


WORDS = st.sampled_from(["chart", "../x", "/", "a.b", "$all/x", "GitRepository", "\0", "prod.yaml", "a: 1", "", "1"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 3) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(kind=st.sampled_from(sorted(_KINDS)), spec=ANYTHING, meta=ANYTHING)
def test_any_object_is_followed_or_not(kind, spec, meta, tmp_path_factory):
    group, name = kind
    value = {"apiVersion": f"{group}/v1", "kind": name, "metadata": meta, "spec": spec}
    data = json.dumps(value).encode()
    root = tmp_path_factory.getbasetemp() / "any"
    (root / "chart").mkdir(parents=True, exist_ok=True)
    (root / "chart" / "Chart.yaml").write_text("name: chart\n")
    found = followed([SourceFile(str(root / "app.yaml"), data)])
    assert len(found.followed) <= 1


def test_values_come_from_a_config_map_of_another_file_that_is_not_checked(check, tree):
    root = tree(
        inventory({**PLATFORM_CHART, "apps/release.yaml": RELEASE % "  valuesFrom: [{kind: ConfigMap, name: mine}]"})
    )
    (root / "config.yaml").write_text(MINE.removeprefix("\n---\n"))
    git(root, "init", "-q")
    git(root, "add", ".")
    assert check(root, "apps", *SELECTED).told == [("KLG503", "config.yaml", 6)]


def test_the_note_says_why_an_object_is_not_followed(check, tree):
    changed = RELEASE % "  postRenderers: [{kustomize: {}}]"
    root = tree(
        inventory(
            {**PLATFORM_CHART, "app.yaml": APPLICATION % "fileParameters: [{name: a, path: b}]", "b.yaml": changed}
        )
    )
    told = [one["message"] for one in check(root, ".", *SELECTED).findings]
    assert [one.partition(", because ")[2].partition(": ")[0] for one in told] == [
        "a value is the text of a file (`fileParameters`)",
        "`postRenderers` change what the chart gives",
    ]


def test_a_note_names_the_destination_and_not_the_cluster_of_its_file(check, tree):
    app = (APPLICATION % "exclude: '*.bak.yaml'").replace("helm:", "directory:")
    sent = app.replace("{namespace: vision}", "{name: east, namespace: vision}").replace("blue", "green")
    far = app.replace("path: chart", "chart: vllm").replace("blue", "far")
    root = tree(
        inventory({**PLATFORM_CHART, "apps/a.yaml": f"{app}---\n{sent}---\n{far}", ".kubelint-gpu.yaml": TARGETS})
    )
    (root / "roomy.yaml").write_text((root / "inventory.yaml").read_text())
    decides = "`directory.exclude` decides what is applied of chart, and is not followed"
    head = "is not rendered as Argo CD does it, because"
    assert [one["message"] for one in check(root, "apps", "--select", "KLG006").findings] == [
        f"Application blue {head} {decides}: its workloads are not judged",
        f"Application green {head} {decides}: its workloads in the cluster east are not judged",
        f"Application far {head} the source is another repository or a registry: its workloads are not judged",
    ]


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
    root = tree(inventory({**PLATFORM_CHART, "app.yaml": APPLICATION % written}))
    ran = check(root, ".", *SELECTED)
    assert ran.told == [("KLG503", path, line)]
    assert ran.findings[0]["object"] == "Pod/vision/blue"


def test_sources_may_take_values_of_each_other(check, tree):
    source = "{repoURL: https://example.com/team/platform.git, "
    several = (
        f"  sources:\n  - {source}ref: all}}\n  - {source}path: chart, helm: {{valueFiles: [$all/envs/prod.yaml]}}}}\n"
    )
    app = APPLICATION.partition("  source:\n")[0] + several
    root = tree(inventory({**PLATFORM_CHART, "app.yaml": app, "envs/prod.yaml": "gpus: 3\n"}))
    assert check(root, ".", *SELECTED).told == [("KLG503", "envs/prod.yaml", 1)]


def test_an_object_whose_source_is_overridden_is_a_note(check, tree):
    override = {"chart/.argocd-source.yaml": "helm: {parameters: [{name: gpus, value: '1'}]}\n"}
    root = tree(inventory({**PLATFORM_CHART, **override, "app.yaml": APPLICATION % "valuesObject: {gpus: 2}"}))
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
    files = {
        **PLATFORM_CHART,
        "apps/app.yaml": sent_to(destination),
        "roomy.yaml": roomy,
        ".kubelint-gpu.yaml": TARGETS,
    }
    ran = check(tree(inventory(files)), "apps", *ASKED)
    assert ran.told == [("KLG503", "apps/app.yaml", line) for line in lines]


def test_two_applications_may_send_one_chart_to_two_clusters(check, tree):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    green = sent_to("server: 'https://roomy.example.com'", "valuesObject: {gpus: 3}").replace(
        "name: blue", "name: green"
    )
    files = {**PLATFORM_CHART, "a.yaml": sent_to("name: small"), "b.yaml": green, "roomy.yaml": roomy}
    ran = check(tree(inventory({**files, ".kubelint-gpu.yaml": TARGETS})), ".", *ASKED)
    assert [(one["code"], one["path"], one["object"]) for one in ran.findings] == [
        ("KLG503", "a.yaml", "Pod/vision/blue")
    ]


@pytest.mark.parametrize("targets", ["", "targets: {dev/**: roomy.yaml, prod/**: inventory.yaml}\n"])
def test_releases_of_one_name_in_two_files_are_two(check, tree, targets):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    files = {**PLATFORM_CHART, "roomy.yaml": roomy, ".kubelint-gpu.yaml": targets or "inventory: inventory.yaml\n"}
    files |= {"dev/hr.yaml": RELEASE % "  values: {gpus: 3}", "prod/hr.yaml": RELEASE % "  values: {gpus: 1}"}
    root = tree(inventory(files))
    asked = "--select", "KLG503,KLG006,KLG007"
    assert check(root, ".", *asked).told == ([] if targets else [("KLG503", "dev/hr.yaml", 9)])
    (root / "prod/hr.yaml").write_text(RELEASE % "  values: {gpus: 2}")
    told = check(root, ".", *asked).told
    assert told == [("KLG503", f"{each}/hr.yaml", 9) for each in ("dev", "prod")[bool(targets) :]]


def test_releases_of_one_name_in_one_file_are_two(check, tree):
    other = (RELEASE % "  values: {gpus: 1}").replace("namespace: vision", "namespace: speech")
    ran = check(
        tree(inventory({**PLATFORM_CHART, "hr.yaml": f"{RELEASE % '  values: {gpus: 2}'}---\n{other}"})), ".", *SELECTED
    )
    assert [(*place(one)[:3], one["object"]) for one in ran.findings] == [("KLG503", "hr.yaml", 9, "Pod/vision/blue")]


@pytest.mark.parametrize(
    ("named", "paths"),
    [
        (["new.yaml"], []),
        (["new.yaml", "big.yaml"], ["big.yaml"]),
        (["new.yaml", "envs/big.yaml"], ["envs/big.yaml"]),
        (["new.yaml", "chart/templates/pod.yaml"], ["big.yaml", "envs/big.yaml"]),
    ],
)
def test_of_the_applications_of_one_chart_only_those_of_the_run_are_judged(check, tree, named, paths):
    app = APPLICATION % "valuesObject: {gpus: 1}"
    big, file = (app.replace("blue", name).replace("gpus: 1", "gpus: 9") for name in ("big", "file"))
    file = file.replace("valuesObject: {gpus: 9}", "valueFiles: [../envs/big.yaml]")
    files = {**PLATFORM_CHART, "big.yaml": big, "apps/file.yaml": file, "envs/big.yaml": "gpus: 2\n", "new.yaml": app}
    root = tree(inventory({**files, "old.yaml": app.replace("blue", "old")}))
    committed(root)
    for path in named:
        (root / path).write_text(f"{(root / path).read_text()}# more\n")
    git(root, "add", ".")
    for hook in ["--hook"], []:
        assert check(root, *hook, *named, *SELECTED).told == [("KLG503", path, LINES[path]) for path in paths]


def test_the_destination_of_an_application_chooses_the_cluster_of_a_folder(check, tree):
    app = sent_to("name: small").partition("    helm:")[0].replace("path: chart", "path: apps")
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n      image: a\n"
    pod += "      resources: {limits: {nvidia.com/gpu: 2}}\n"
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    files = {"apps/pod.yaml": pod, "roomy.yaml": roomy, ".kubelint-gpu.yaml": TARGETS}
    assert check(tree(inventory(files)), ".", *ASKED).told == []
    root = tree(inventory({**files, "argo/app.yaml": app}))
    assert check(root, ".", *ASKED).told == [("KLG503", "apps/pod.yaml", 8)]
