"""A render is known where the program and all its files are those of an earlier run."""

from __future__ import annotations

import os
import stat

import pytest

from kubelint_gpu.cache.known_renders import StoredRenders
from kubelint_gpu.cache.store import Store
from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render

FAKE = """#!/bin/sh
echo started >> {log}
{then}
cat "$2/kustomization.yaml" > /dev/null
printf 'apiVersion: v1\\nkind: ConfigMap\\nmetadata: {{name: a}}\\n'
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program of these tests is a shell script")


@pytest.fixture
def made(tmp_path):
    """A way to render with a program that notes its starts, each time with the store as it lies on the disk."""
    log, path = tmp_path / "log", tmp_path / "kustomize"
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tree / "a.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")

    def program(then=""):
        path.write_text(FAKE.format(log=log, then=then))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def run(flags=()):
        store = Store(tmp_path / "kept")
        renderer = Renderer(Program((str(path), "build")), flags, known=StoredRenders(store))
        found = render(tree, renderer, root=tree, cwd=tree)
        store.save()
        starts = len(log.read_text().splitlines())
        return starts, found.printed, [one.message for one in found.problems]

    program()
    run.tree, run.program = tree, program
    return run


def test_the_same_files_are_rendered_once(made):
    first = made()
    assert first[1]
    assert made() == first == (1, first[1], [])


@pytest.mark.parametrize("name", ["a.yaml", "kustomization.yaml"])
def test_another_byte_is_another_render(made, name):
    made()
    with (made.tree / name).open("a") as file:
        file.write("# changed\n")
    assert made()[0] == 2


def test_another_program_renders_anew(made):
    made()
    made.program("true")
    assert made()[0] == 2


def test_what_fails_is_tried_each_time(made):
    made.program("exit 1")
    assert made()[0] == 1
    starts, _, problems = made()
    assert starts == 2
    assert problems


def test_further_flags_are_not_kept(made):
    made(("--load-restrictor=x",))
    assert made(("--load-restrictor=x",))[0] == 2


def test_false_entries_are_none(made, tmp_path):
    first = made()
    for path in (tmp_path / "kept").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes()[:-20])
    assert made() == (2, *first[1:])
