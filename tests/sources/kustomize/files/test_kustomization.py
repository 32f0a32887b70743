"""A kustomization file, whatever it holds."""

from __future__ import annotations

import pytest
from surveying import found, told


def test_a_kustomization_that_is_no_mapping_is_no_crash(tree):
    for text in ("", "- a\n", "resources: {a: b}\n", "resources: [1, {a: b}]\npatches: x\n"):
        assert not found(tree(**{"top/kustomization.yaml": text})).obstacles


@pytest.mark.parametrize(
    "field", ["Resources: [a]", "re\u017fources: [a]", "patches: [{Path: a}]", "HelmCharts: [{name: a}]"]
)
def test_fields_in_other_letters_are_not_overlooked(tree, field):
    [(_, line, message, withheld)] = told(tree(**{"top/kustomization.yaml": f"{field}\n"}))
    assert (line, withheld) == (1, False)
    assert " must be written " in message
