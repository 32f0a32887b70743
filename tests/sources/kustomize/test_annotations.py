"""What Kustomize is asked to note is in no output."""

from __future__ import annotations

import pytest
from accumulated import BASE, TOP

from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render


@pytest.fixture(scope="module")
def rendered(tmp_path_factory, program):
    """Renders `top` of some files, the same ones once."""
    known = {}

    def made(**files):
        key = tuple(sorted(files.items()))
        if key not in known:
            known[key] = built(tmp_path_factory.mktemp("repository"), files)
        return known[key]

    def built(tmp_path, files):
        for name, text in {**BASE, **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        found = render(tmp_path / "top", Renderer(Program((program, "build"))), root=tmp_path, cwd=tmp_path)
        assert found.reading is not None, found.problems
        return found

    return made


def test_the_annotations_that_were_asked_for_are_gone(rendered):
    found = rendered(**{"top/kustomization.yaml": f"{TOP}commonAnnotations: {{owner: us}}\n"})
    assert found.reading.documents[0].value["metadata"]["annotations"] == {"owner": "us"}
    assert "annotations" not in rendered(**{"top/kustomization.yaml": TOP}).reading.documents[0].value["metadata"]
