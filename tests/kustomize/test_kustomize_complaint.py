"""The line that an error of Kustomize means; the texts are those of kustomize 5.5 and 5.8, and of kubectl 1.32."""

from __future__ import annotations

from pathlib import Path

import pytest

from kubelint_gpu.sources.kustomize.complaint import complaint
from kubelint_gpu.sources.kustomize.stage import Stage
from kubelint_gpu.sources.kustomize.survey import Allowed, survey
from kubelint_gpu.sources.kustomize.tree import DiskTree

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
    found = survey(DiskTree(tmp_path), "top", str, Allowed())
    stage = Stage(Path("/stage/wrapper"), Path("/stage/home"), "/stage/tree")

    def answer(error):
        got = complaint(error, stage, found, str)
        return got.path, got.span.line, got.message

    return answer


def test_a_patch_without_a_target(located):
    error = 'Error: no resource matches strategic merge patch "Deployment.v1.apps/chta.[noNs]": no matches for Id Deployment.v1.apps/chta.[noNs]; failed to find unique target for patch Deployment.v1.apps/chta.[noNs]'
    path, line, message = located(error)
    assert (path, line) == ("top/patch.yaml", 4)
    assert message.startswith("kustomize cannot build top: no resource matches strategic merge patch")


def test_a_line_of_a_file(located):
    error = "Error: accumulating resources: accumulation err='accumulating resources from '../tree/top': '/stage/tree/top' must resolve to a file': recursed accumulation of path '/stage/tree/top': accumulating resources: accumulation err='accumulating resources from 'pod.yaml': MalformedYAMLError: yaml: line 5: mapping key \"name\" already defined at line 4 in File: pod.yaml'"
    path, line, message = located(error)
    assert (path, line) == ("base/pod.yaml", 5)
    assert "accumulat" not in message
    assert "/stage" not in message


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
    assert located(error) == ("top/kustomization.yaml", 1, 'kustomize cannot build top: something "else"')


def test_an_empty_message_is_no_crash(located):
    assert located("")[:2] == ("top/kustomization.yaml", 1)
