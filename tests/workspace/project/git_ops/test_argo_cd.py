"""The Applications that an ApplicationSet makes."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.workspace.project.git_ops.argo_cd import applications
from kubelint_gpu.workspace.project.git_ops.git_object import CannotFollowError

FILES = {
    "apps/chat/Chart.yaml": "name: chat\n",
    "apps/rag/Chart.yaml": "name: rag\n",
    "apps/rag/deep/a.txt": "",
    "apps/.hidden/a.txt": "",
    "envs/dev.yaml": "env: dev\nteam: {name: search}\ngpus: 2\n",
    "envs/Prod_EU.yaml": "- {env: eu-1}\n- {env: eu-2}\n",
}
GIT = {"repoURL": "https://example.com/team/platform.git"}


@pytest.fixture
def root(tmp_path):
    for name, text in {".git/HEAD": "", **FILES}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def names(root, template, *generators, go=False):
    spec = {"goTemplate": go, "generators": [*generators], "template": {"metadata": {"name": template}}}
    return [one["metadata"]["name"] for one, _ in applications(spec, root)]


def test_a_list_gives_an_application_for_each_element(root):
    elements = {"list": {"elements": [{"env": "dev", "at": {"zone": "a"}}, {"env": "prod"}]}}
    assert names(root, "{{env}}-{{ at.zone }}-{{none}}", elements) == ["dev-a-{{none}}", "prod-{{ at.zone }}-{{none}}"]
    assert names(root, "{{.env}}-x", elements, go=True) == ["dev-x", "prod-x"]


def test_folders_of_the_repository_give_one_each_but_for_those_that_are_left_out(root):
    folders = {"git": {**GIT, "directories": [{"path": "apps/*"}]}}
    assert names(root, "{{path}} {{path.basename}} {{path[0]}}", folders) == [
        "apps/chat chat apps",
        "apps/rag rag apps",
    ]
    assert names(root, "{{.path.path}} {{ .path.basename }}", folders, go=True) == ["apps/chat chat", "apps/rag rag"]
    fewer = {"git": {**GIT, "directories": [{"path": "apps/*"}, {"path": "apps/r*", "exclude": True}]}}
    assert names(root, "{{path.basename}}", fewer) == ["chat"]


def test_files_of_the_repository_give_what_they_hold(root):
    files = {"git": {**GIT, "files": [{"path": "envs/*.yaml"}]}}
    told = "{{env}} {{path}} {{path.filename}} {{path.filenameNormalized}}"
    assert names(root, told, files) == [
        "eu-1 envs Prod_EU.yaml prod-eu.yaml",
        "eu-2 envs Prod_EU.yaml prod-eu.yaml",
        "dev envs dev.yaml dev.yaml",
    ]
    one = {"git": {**GIT, "files": [{"path": "envs/dev.yaml"}]}}
    assert names(root, "{{team.name}}-{{gpus}}", one) == ["search-2"]
    assert names(root, "{{.team.name}}-{{.gpus}}", one, go=True) == ["search-2"]


LIST = {"list": {"elements": [{"env": "dev"}]}}


@pytest.mark.parametrize(
    ("generator", "template", "go"),
    [
        ({"clusters": {}}, "a", False),
        ({**LIST, "selector": {}}, "a", False),
        ({"list": {"elementsYaml": "[]"}}, "a", False),
        ({"list": {"elements": []}}, "a", False),
        ({"git": {**GIT, "directories": [{"path": "none/*"}]}}, "a", False),
        ({"list": {**LIST["list"], "template": {"metadata": {}}}}, "a", False),
        ({"git": {**GIT, "directories": [{"path": "apps/*"}], "values": {"a": "b"}}}, "a", False),
        ({"git": {**GIT, "files": [{"path": "apps/rag/deep/a.txt"}]}}, "a", False),
        (LIST, "{{ .env | upper }}", True),
        (LIST, "{{ .none }}", True),
        (LIST, "{{ if .env }}a{{ end }}", True),
        ({"list": {"elements": [{"env": True}]}}, "{{env}}", False),
        ({"list": {"elements": [{"env": "a"}] * 201}}, "a", False),
    ],
)
def test_what_is_not_done_here_is_not_guessed(root, generator, template, go):
    with pytest.raises(CannotFollowError):
        names(root, template, generator, go=go)


def test_folders_of_another_repository_are_not_looked_for_here(root):
    (root / ".git" / "config").write_text('[remote "origin"]\n\turl = https://example.com/other/thing.git\n')
    with pytest.raises(CannotFollowError):
        names(root, "a", {"git": {**GIT, "directories": [{"path": "apps/*"}]}})


def test_a_link_out_of_the_repository_is_not_read(root, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "secret.yaml"
    outside.write_text("env: secret\n")
    (root / "envs" / "dev.yaml").unlink()
    (root / "envs" / "dev.yaml").symlink_to(outside)
    with pytest.raises(CannotFollowError):
        names(root, "{{env}}", {"git": {**GIT, "files": [{"path": "envs/dev.yaml"}]}})


KEYS = st.sampled_from(
    ["generators", "list", "git", "elements", "template", "metadata", "name", "directories", "files", "path", "exclude"]
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=8), st.just("{{ .a }}")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(KEYS, VALUES, max_size=4), st.booleans())
def test_any_spec_gives_applications_or_is_refused(spec, go):
    with suppress(CannotFollowError):
        assert all(isinstance(one, dict) for one, _ in applications({**spec, "goTemplate": go}, Path("/nowhere")))
