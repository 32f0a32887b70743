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


def test_a_wrong_place_is_not_proven(renderer, monkeypatch):
    """The proof can fail: it does where a finding points at the line of another field."""
    built = render(EXAMPLE / "overlays" / "prod", renderer, root=EXAMPLE, cwd=EXAMPLE)
    right = Origin._answer

    def wrong(self, pointer, role):
        found = right(self, pointer, role)
        return right(self, ("metadata", "name"), "value") if pointer == ("spec",) else found

    monkeypatch.setattr(Origin, "_answer", wrong)
    verdicts = list(prove(built, renderer, ClusterContext()))
    assert [one.reason for one in verdicts if not one.proven]
