"""Which line set a field of a rendered object: for every way in which Kustomize sets one."""

from __future__ import annotations

import pytest
from accumulated import GPU, TOP, asked
from strategic import STRATEGIC, taken


def test_an_inline_patch_has_its_line_in_the_kustomization(rendered):
    text = f"{TOP}patches:\n  - patch: |\n" + "".join(f"      {line}\n" for line in STRATEGIC.splitlines())
    got, answer = asked(rendered(**{"top/kustomization.yaml": text}), GPU)
    assert (got, answer.certain) == ("top/kustomization.yaml: nvidia.com/gpu: 4", True)
    span = answer.spot.span
    assert text.splitlines()[span.line - 1][span.column - 1 : span.end_column - 1] == "4"


@pytest.mark.parametrize(
    ("body", "line", "entries"),
    [
        ("      nodeSelector: {zone: null}\n", "nodeSelector: {zone: null}", (("zone", "a"),)),
        ("      nodeSelector:\n        $patch: delete\n", "$patch: delete", (("nodeSelector", {"zone": "a"}),)),
        (
            "      volumes:\n      - $patch: delete\n",
            "- $patch: delete",
            (("volumes", [{"name": "data", "emptyDir": {}}]),),
        ),
        (
            "      volumes:\n      - $patch: delete\n        name: data\n",
            "- $patch: delete",
            ((None, {"name": "data", "emptyDir": {}}),),
        ),
        (
            "      tolerations: [{key: two}]\n",
            "tolerations: [{key: two}]",
            ((None, {"key": "one", "operator": "Exists"}),),
        ),
        ("      nodeSelector: {$patch: replace, a: b}\n", "nodeSelector: {$patch: replace, a: b}", (("zone", "a"),)),
    ],
)
def test_what_a_patch_takes_away_is_known_with_its_line(rendered, body, line, entries):
    head = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n"
    found = rendered(**{"top/kustomization.yaml": f"{TOP}patches: [path: patch.yaml]\n", "top/patch.yaml": head + body})
    assert taken(found) == [(f"top/patch.yaml: {line}", entries)]


def test_what_comes_back_is_not_taken_away(rendered):
    patch = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  template:\n    spec:\n      nodeSelector: {zone: %s}\n"
    files = {
        "top/kustomization.yaml": f"{TOP}patches: [path: one.yaml, path: two.yaml]\n".replace(
            "[path: one.yaml, path: two.yaml]", "[{path: one.yaml}, {path: two.yaml}]"
        ),
        "top/one.yaml": patch % "null",
        "top/two.yaml": patch % "a",
    }
    assert taken(rendered(**files)) == []
