"""Patterns of paths, however long."""

import time

import pytest
from limited import run

from kubelint_gpu.workspace.project.globs import matches

MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n"


def checked(folder, configuration):
    (folder / ".kubelint-gpu.yaml").write_text(configuration)
    deep = folder / "/".join(["a"] * 40)
    deep.mkdir(parents=True)
    (deep / "pod.yaml").write_text(MANIFEST)
    made = run("check", ".", cwd=folder)
    assert b"please report" not in made.stderr, made.stderr.decode()
    return made


@pytest.mark.parametrize("glob", ["**/" * 300 + "x", "*a" * 400 + "x", "**" * 400 + "x", "a**/" * 200 + "x"])
def test_globs_cost_time_in_proportion_to_the_path(tmp_path, glob):
    made = checked(tmp_path, f"units: {{one: '{glob}'}}\nper-path: {{'{glob}': {{ignore: KLG301, reason: x}}}}\n")
    assert made.returncode in (0, 1), made
    before = time.process_time()
    assert not matches("a/" * 2000 + "b", glob)
    assert time.process_time() - before < 0.5
