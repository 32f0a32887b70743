"""What is found in a kustomization before Kustomize is started."""

from __future__ import annotations

import pytest
from surveying import SERVICE, found, told

from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles


def test_a_base_and_its_files_are_found(tree):
    got = found(tree(**{"top/kustomization.yaml": "resources:\n- ../base\n"}))
    assert not got.obstacles
    assert set(got.kustomizations) == {"top", "base"}
    assert set(got.files) == {"top/kustomization.yaml", "base/kustomization.yaml", "base/service.yaml"}
    assert got.resources == {"base/service.yaml"}


@pytest.mark.parametrize(
    "text",
    [
        "https://github.com/example/app//base?ref=v1",
        "http://example.com/base.yaml",
        "git@github.com:example/app.git",
        "ssh://git@example.com/app",
        "git::https://example.com/app",
        "github.com/example/app/base",
        "example.com/app/base?ref=main",
        "example.com/app.git",
        "example.com/app/base",
        "file:///etc/passwd",
    ],
)
@pytest.mark.parametrize("key", ["resources", "bases", "components"])
def test_what_is_remote_is_withheld(tree, key, text):
    [(path, line, message, withheld)] = told(tree(**{"top/kustomization.yaml": f"{key}:\n- {text}\n"}))
    assert (path, line, withheld) == ("top/kustomization.yaml", 2, True)
    assert message.startswith(f"{text} is remote")


@pytest.mark.parametrize(
    "field",
    [
        'patches: [{path: "https://example.com/p.yaml"}]',
        'patchesStrategicMerge: ["https://example.com/p.yaml"]',
        'configurations: ["https://example.com/p.yaml"]',
        'crds: ["https://example.com/p.yaml"]',
        'replacements: [{path: "https://example.com/p.yaml"}]',
        'openapi: {path: "https://example.com/p.yaml"}',
        'configMapGenerator: [{name: a, files: ["a=https://example.com/p.yaml"]}]',
        'secretGenerator: [{name: a, envs: ["https://example.com/p.env"]}]',
        'transformers: ["https://example.com/p.yaml"]',
        'transformers: ["apiVersion: builtin\\nkind: PatchTransformer\\npath: https://example.com/p.yaml"]',
    ],
)
def test_remote_files_of_every_field_are_withheld(tree, field):
    got = found(tree(**{"top/kustomization.yaml": f"resources: [../base]\n{field}\n"})).obstacles
    assert [one.withheld for one in got] == [True]
    assert "nothing is fetched" in got[0].message


def test_a_missing_file_is_named_with_its_line(tree):
    assert told(tree(**{"top/kustomization.yaml": "resources:\n- ../base\npatches:\n- path: patch.yaml\n"})) == [
        ("top/kustomization.yaml", 4, "there is no file patch.yaml", False)
    ]


def test_a_folder_without_a_kustomization_is_named(tree):
    assert told(tree(**{"top/kustomization.yaml": "resources: [empty]\n", "top/empty/readme.txt": ""})) == [
        ("top/kustomization.yaml", 1, "the folder empty holds no kustomization", False)
    ]


def test_a_circle_is_named(tree):
    files = {"top/kustomization.yaml": "resources: [../other]\n", "other/kustomization.yaml": "resources: [../top]\n"}
    assert told(tree(**files)) == [
        ("other/kustomization.yaml", 1, "../top takes this kustomization in itself: a circle", False)
    ]


@pytest.mark.parametrize("text", ["../../outside", "../../../../../../../etc", "/etc/passwd", "{root}/base"])
def test_nothing_outside_of_the_repository_is_read(tree, tmp_path, text):
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "kustomization.yaml").write_text("resources: [secret.yaml]\n")
    text = text.format(root=tmp_path / "repository")
    files = tree(**{"top/kustomization.yaml": f"resources: [{text}]\n"})
    [(_, line, message, withheld)] = told(files)
    assert (line, message, withheld) == (1, f"{text} lies outside of the repository and is not read", True)
    assert not told(files, allowed=AllowedFiles(outside=True))


def test_a_link_that_leads_outside_is_not_followed(tree, tmp_path):
    (tmp_path / "secret.yaml").write_text(SERVICE)
    files = tree(**{"top/kustomization.yaml": "resources:\n- link.yaml\n- all/secret.yaml\n"})
    (tmp_path / "repository" / "top" / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (tmp_path / "repository" / "top" / "all").symlink_to(tmp_path)
    got = found(files)
    reason = "is a link, or lies behind one, that leads out of the repository, and is not read"
    assert told(files) == [
        ("top/kustomization.yaml", 2, f"link.yaml {reason}", True),
        ("top/kustomization.yaml", 3, f"all/secret.yaml {reason}", True),
    ]
    assert set(got.files) == {"top/kustomization.yaml"}


def test_a_loop_of_links_ends(tree, tmp_path):
    files = tree(**{"top/kustomization.yaml": "resources: [a, self/self/self/../base]\n"})
    top = tmp_path / "repository" / "top"
    (top / "a").symlink_to(top / "b")
    (top / "b").symlink_to(top / "a")
    (top / "self").symlink_to(top)
    assert [one.message for one in found(files).obstacles] == [
        "there is no file or folder a",
        "there is no file or folder self/self/self/../base",
    ]


def test_plugins_and_charts_are_withheld_unless_they_are_allowed(tree):
    plugin = "apiVersion: example.com/v1\nkind: Sealed\nmetadata: {name: a}\n"
    built_in = "apiVersion: builtin\nkind: NamespaceTransformer\nmetadata: {name: a, namespace: b}\n"
    files = tree(
        **{
            "top/kustomization.yaml": "resources: [../base]\ngenerators: [sealed.yaml]\ntransformers: [ours.yaml]\n"
            "helmCharts: [{name: app, repo: charts}]\n",
            "top/sealed.yaml": plugin,
            "top/ours.yaml": built_in,
        }
    )
    assert [(line, withheld) for _, line, _, withheld in told(files)] == [(4, True), (2, True)]
    assert not told(files, allowed=AllowedFiles(helm=True, plugins=True))


def test_what_multiplies_without_bound_is_not_started(tree):
    files = {
        f"l{level}/kustomization.yaml": f"resources: [{', '.join([f'../l{level - 1}'] * 10)}]\n"
        for level in range(1, 8)
    }
    files["l0/kustomization.yaml"] = "resources: [../base]\n"
    got = found(tree(**files), "l7").obstacles
    assert "it would give 100000 objects, and at most 20000 are rendered" in [one.message for one in got]


@pytest.mark.parametrize(
    "text", ["a: [\n", "\0", "resources: [../base]\nresources: []\n", "a: b\n---\nresources: []\n"]
)
def test_what_kustomize_could_read_otherwise_is_not_given_to_it(tree, text):
    assert [one.withheld for one in found(tree(**{"top/kustomization.yaml": text})).obstacles] == [False]


def test_folders_of_plugins_are_withheld(tree):
    assert [
        one.withheld for one in found(tree(**{"top/kustomization.yaml": "transformers: [../base]\n"})).obstacles
    ] == [True]


def test_a_folder_that_takes_itself_in_through_a_link_is_a_circle(tree, tmp_path):
    files = tree(**{"top/kustomization.yaml": "resources: [self/self/self]\n"})
    (tmp_path / "repository" / "top" / "self").symlink_to(".")
    assert [one.message for one in found(files).obstacles] == [
        "self/self/self takes this kustomization in itself: a circle"
    ]


def test_layers_are_bounded(tree):
    files = {f"l{level}/kustomization.yaml": f"resources: [../l{level + 1}]\n" for level in range(300)}
    files["l300/kustomization.yaml"] = "resources: []\n"
    assert [one.message for one in found(tree(**files), "l0").obstacles] == [
        "there are more than 50 layers of kustomizations"
    ]
