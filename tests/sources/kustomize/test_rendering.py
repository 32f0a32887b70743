"""Places are proven by perturbation: what stands at the line is changed, and the field of the finding follows.

`python -m tools.kustomize_places FOLDER` does the same for any folder.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from kubelint_gpu.sources.kustomize.origin import Origin  # noqa: E402
from kubelint_gpu.sources.kustomize.program import Program  # noqa: E402
from kubelint_gpu.sources.kustomize.rendering import Renderer, render  # noqa: E402
from kubelint_gpu.values import replace  # noqa: E402
from kubelint_gpu.workspace.cluster_context import ClusterContext  # noqa: E402
from tools.kustomize_places import declared, prove  # noqa: E402

EXAMPLE = ROOT / "examples" / "kustomize"


@pytest.fixture
def renderer(program):
    return Renderer(Program((program, "build")))


@pytest.mark.parametrize("overlay", ["prod", "staging"])
@pytest.mark.parametrize("inventory", [True, False])
def test_every_finding_of_the_example_stands_where_its_field_was_set(renderer, overlay, inventory):
    built = render(EXAMPLE / "overlays" / overlay, renderer, root=EXAMPLE, cwd=EXAMPLE)
    world = declared(EXAMPLE / "inventory.yaml") if inventory else ClusterContext()
    verdicts = list(prove(built, renderer, world))
    assert verdicts
    assert [one for one in verdicts if not one.proven] == []


class Mistaken(Origin):
    """An origin that takes the line of the name for that of the strategy."""

    def __init__(self, right):
        vars(self).update(vars(right))

    def answer(self, pointer, role="value"):
        return super().answer(("metadata", "name") if pointer == ("spec", "strategy") else pointer, role)


def test_a_wrong_place_is_not_proven(renderer):
    """The proof can fail: it does where a finding points at the line of another field."""
    built = render(EXAMPLE / "overlays" / "prod", renderer, root=EXAMPLE, cwd=EXAMPLE)
    built = replace(built, origins=tuple(map(Mistaken, built.origins)))
    verdicts = list(prove(built, renderer, ClusterContext()))
    assert [one.reason for one in verdicts if not one.proven]
