"""JSON patches: which operation set or took away a field."""

from __future__ import annotations

import pytest
from accumulated import GPU, POD, TOP, asked
from strategic import taken

JSON_PATCH = """\
- op: replace
  path: /spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu
  value: 2
- op: add
  path: /spec/template/spec/nodeSelector/pool
  value: gpu
- op: add
  path: /spec/template/spec/tolerations/-
  value: {key: two}
- op: remove
  path: /spec/template/spec/nodeSelector/zone
"""


@pytest.mark.parametrize(
    ("pointer", "line"),
    [
        (GPU, "top/patch.yaml: value: 2"),
        ((*POD, "nodeSelector", "pool"), "top/patch.yaml: value: gpu"),
        ((*POD, "tolerations", 1, "key"), "top/patch.yaml: value: {key: two}"),
        ((*POD, "tolerations", 0, "key"), "base/deployment.yaml: - key: one"),
    ],
)
@pytest.mark.parametrize("field", ["patches", "patchesJson6902"])
def test_a_json_patch(rendered, pointer, line, field):
    target = "target: {group: apps, version: v1, kind: Deployment, name: chat}"
    files = {"top/kustomization.yaml": f"{TOP}{field}:\n- path: patch.yaml\n  {target}\n", "top/patch.yaml": JSON_PATCH}
    got, answer = asked(rendered(**files), pointer)
    assert (got, answer.certain) == (line, True)


@pytest.mark.parametrize(
    "patch",
    [
        "|-\n    - op: replace\n      path: %s\n      value: «2»\n    - op: remove\n      path: /spec/replicas\n",
        "|2\n    - {op: replace, path: %s, value: «2»}\n    - op: remove\n      path: /spec/replicas\n",
        """'[{"op": "replace", "path": "%s", "value": «2»}, {"op": "remove", "path": "/spec/replicas"}]'\n""",
        '>-\n    «[{"op": "replace", "path": "%s", "value": 2},\n    {"op": "remove", "path": "/spec/replicas"}]»\n',
    ],
)
def test_a_json_patch_inside_of_a_text_has_its_column(rendered, patch):
    path = "/spec/template/spec/containers/1/resources/limits/nvidia.com~1gpu"
    marked = f"{TOP}patches:\n- target: {{kind: Deployment}}\n  patch: {patch % path}"
    text = marked.replace("«", "").replace("»", "")
    found = rendered(**{"top/kustomization.yaml": text})
    _, answer = asked(found, GPU)
    span = answer.spot.span
    wanted = marked.partition("«")[2].partition("»")[0]
    if ">-" in patch:
        # what is folded is not taken apart: the whole text is the place
        assert text[span.start : span.end].startswith(">-")
    else:
        assert (text[span.start : span.end], span.start) == (wanted, marked.index("«"))
        [removal] = found.origins[0].removals()
        gone = removal.writer.spot().span
        assert "remove" in text[gone.start : gone.end]
        assert "value" not in text[gone.start : gone.end]
    assert answer.certain


def test_what_a_json_patch_takes_away_is_known_with_its_operation(rendered):
    target = "target: {kind: Deployment, name: chat}"
    files = {
        "top/kustomization.yaml": f"{TOP}patches:\n- path: patch.yaml\n  {target}\n",
        "top/patch.yaml": JSON_PATCH + "- op: remove\n  path: /spec/template/spec/tolerations/0\n",
    }
    assert taken(rendered(**files)) == [
        ("top/patch.yaml: - op: remove", (("zone", "a"),)),
        ("top/patch.yaml: - op: remove", ((None, {"key": "one", "operator": "Exists"}),)),
    ]
