"""The line that an error of Kustomize means; the texts are those of kustomize 5.5 and 5.8, and of kubectl 1.32."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubelint_gpu.sources.kustomize.build_errors import WorkingCopy, complaint
from kubelint_gpu.sources.kustomize.files.kustomization import DiskTree
from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles
from kubelint_gpu.sources.kustomize.files.surveyor import survey
from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render

FILES = {
    "top/kustomization.yaml": "resources:\n- ../base\npatches:\n- path: patch.yaml\nreplicas:\n- name: chat\n  count: 2\n",
    "top/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: chta\n",
    "base/kustomization.yaml": "resources:\n- pod.yaml\n",
    "base/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  name: a\n",
}


@pytest.fixture
def located(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = survey(DiskTree(tmp_path), "top", str, AllowedFiles())
    stage = WorkingCopy(Path("/stage/tree/top"), Path("/stage/home"), "/stage/tree")

    def answer(error):
        got = complaint(error, stage, found, str)
        return got.path, got.span.line, got.message

    return answer


def test_a_patch_without_a_target(located):
    error = 'Error: no resource matches strategic merge patch "Deployment.v1.apps/chta.[noNs]": no matches for Id Deployment.v1.apps/chta.[noNs]; failed to find unique target for patch Deployment.v1.apps/chta.[noNs]'
    path, line, message = located(error)
    assert (path, line) == ("top/patch.yaml", 4)
    assert message.startswith("kustomize cannot build it: no resource matches strategic merge patch")


def test_a_line_of_a_file(located):
    error = "Error: accumulating resources: accumulation err='accumulating resources from '../tree/top': '/stage/tree/top' must resolve to a file': recursed accumulation of path '/stage/tree/top': accumulating resources: accumulation err='accumulating resources from 'pod.yaml': MalformedYAMLError: yaml: line 5: mapping key \"name\" already defined at line 4 in File: pod.yaml'"
    path, line, message = located(error)
    assert (path, line) == ("base/pod.yaml", 5)
    assert "accumulat" not in message
    assert "/stage" not in message


def test_a_file_that_may_not_be_named_is_where_it_is_named(located):
    refused = "security; file '/stage/tree/top/patch.yaml' is not in or below '/stage/tree/top/x'"
    for error in (
        f"accumulating resources: accumulation err='accumulating resources from 'patch.yaml': {refused}'",
        f"trouble configuring builtin PatchTransformer with config: `\npath: patch.yaml\n`: failed: {refused}",
    ):
        assert located(f"Error: {error}")[:2] == ("top/kustomization.yaml", 4)


def test_a_field_of_a_kustomization(located):
    error = "Error: accumulating resources: recursed accumulation of path '/stage/tree/top': trouble configuring builtin ReplicaCountTransformer with config: `\nreplica: x\n`: wrong"
    assert located(error)[:2] == ("top/kustomization.yaml", 5)


@pytest.mark.parametrize(
    "error",
    [
        'E1121 05:31:38.474184   25088 run.go:72] "command failed" err="something \\"else\\""',
        'E1121 05:31:38.474184   25088 run.go:72] "command failed" err=<\n\tsomething "else"\n >',
        '# Warning: old\nError: something "else"',
    ],
)
def test_what_names_nothing_stands_at_the_kustomization(located, error):
    assert located(error) == ("top/kustomization.yaml", 1, 'kustomize cannot build it: something "else"')


def test_a_field_that_the_error_does_not_quote_stands_at_the_kustomization(located):
    error = 'Error: must specify a target for JSON patch [path: ""]'
    assert located(error)[:2] == ("top/kustomization.yaml", 1)


def test_an_empty_message_is_no_crash(located):
    assert located("")[:2] == ("top/kustomization.yaml", 1)


BASE = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: chat
spec:
  replicas: 1
  selector: {matchLabels: {app: chat}}
  template:
    metadata: {labels: {app: chat}}
    spec:
      containers:
        - name: server
          image: example.com/server:1
"""
JSON = "patches:\n- target: {kind: Deployment, name: chat}\n  patch: |-\n"
# what stands at the place that is named is between the signs
WITHOUT_A_LINE = {
    "replicas of nothing": ("replicas:\n- name: chat\n  count: 2\n- name: «nope»\n  count: 2\n", ""),
    "a literal without a value": ("configMapGenerator:\n- name: a\n  literals: [a=b, «without»]\n", ""),
    "nothing to merge with": ("configMapGenerator:\n- name: «settings»\n  behavior: merge\n", ""),
    "a replacement in no field": (
        (
            "replacements:\n- source: {kind: Deployment, name: chat, fieldPath: spec.replicas}\n"
            "  targets: [{select: {kind: Deployment}, fieldPaths: [«spec.x.y»]}]\n"
        ),
        "",
    ),
}


@pytest.mark.parametrize("case", WITHOUT_A_LINE)
def test_what_kustomize_says_without_a_line_has_one(tmp_path, program, case):
    kustomization, patch = WITHOUT_A_LINE[case]
    texts = {
        "top/kustomization.yaml": f"resources: [../base]\n{kustomization}",
        "top/patch.yaml": patch or "a: b\n",
        "base/kustomization.yaml": "resources: [deployment.yaml]\n",
        "base/deployment.yaml": BASE,
    }
    [(path, marked)] = [(path, text) for path, text in texts.items() if "«" in text]
    for name, text in texts.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text.replace("«", "").replace("»", ""))
    built = render(tmp_path / "top", Renderer(Program((program, "build"))), root=tmp_path, cwd=tmp_path)
    [problem] = built.problems
    assert problem.path == path
    before, _, rest = marked.partition("«")
    inside = rest.partition("»")[0]
    assert problem.message.startswith("kustomize cannot build it: ")
    assert (problem.span.line, problem.span.column) == (before.count("\n") + 1, len(before.rpartition("\n")[2]) + 1)
    text = (tmp_path / path).read_text()
    assert text[problem.span.start : problem.span.end].rstrip() == inside.rstrip()


@pytest.mark.parametrize("text", ["apiVersion: v1\nkind: Pod\n", "apiVersion: v1\nmetadata: {name: a}\n"])
def test_an_object_that_says_too_little(tmp_path, program, text):
    (tmp_path / "kustomization.yaml").write_text("resources: [pod.yaml]\n")
    (tmp_path / "pod.yaml").write_text(text)
    [problem] = render(tmp_path, Renderer(Program((program, "build"))), root=tmp_path, cwd=tmp_path).problems
    assert problem.path == "pod.yaml"
    assert "directory" not in problem.message
    assert problem.message.rpartition(" ")[2] in ("metadata.name", "kind")
