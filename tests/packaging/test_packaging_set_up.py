"""`./try` and `./test` do all of their set-up, once; Python and pip are stand-ins here that say what they were asked."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
from hook_repository import ROOT

PYTHON = """\
#!/bin/sh
echo "python $*" >>"$LOG"
case "$*" in
    "-c import sys"*) exit "$TOO_OLD" ;;
    "-I -c"*) exit "$MOVED" ;;
    "-m venv --clear .venv") mkdir -p .venv/bin; cp "$0" .venv/bin/python; cp "$0" .venv/bin/pytest; cp "$0" .venv/bin/kubelint-gpu ;;
    "-m pip install"*) exit "$PIP" ;;
    check*) echo findings; exit "$FOUND" ;;
esac
"""
IN_PARALLEL = "-n auto --dist worksteal"


@pytest.fixture
def clone(tmp_path):
    """Runs a script of a clone in which nothing is set up; gives the code, what it printed, and what was asked."""
    root, bin_folder, log = tmp_path / "clone", tmp_path / "bin", tmp_path / "log"
    (root / "tools").mkdir(parents=True)
    bin_folder.mkdir()
    for name in ("try", "test", "tools/set-up", "pyproject.toml"):
        shutil.copy(ROOT / name, root / name)
    for name in ("sh", "cat", "cp", "mkdir", "dirname", "cksum"):
        (bin_folder / name).symlink_to(shutil.which(name))
    (bin_folder / "python3").write_text(PYTHON)
    (bin_folder / "python3").chmod(0o755)

    def run(*command, cwd=root, too_old=0, moved=0, pip=0, found=1):
        log.write_text("")
        environment = {
            "PATH": str(bin_folder),
            "LOG": str(log),
            "TOO_OLD": too_old,
            "MOVED": moved,
            "PIP": pip,
            "FOUND": found,
        }
        environment = {name: str(value) for name, value in environment.items()}
        words = [os.path.relpath(root / command[0], cwd), *command[1:]]
        ran = subprocess.run(
            ["/bin/sh", *words], cwd=cwd, env=environment, capture_output=True, text=True, check=False, timeout=60
        )
        asked = [line for line in log.read_text().splitlines() if " -c " not in line and "--version" not in line]
        return ran.returncode, ran.stdout + ran.stderr, [line.removeprefix("python ") for line in asked]

    run.root = root
    return run


EXAMPLE = "check examples/tracker/tracker.yaml --inventory examples/tracker/nodes.yaml"
VENV = "-m venv --clear .venv"


def install(package):
    return f"-m pip install --quiet --disable-pip-version-check --editable {package}"


def test_try_sets_up_and_shows_the_example(clone):
    code, said, asked = clone("try")
    assert (code, asked) == (0, [VENV, install("."), EXAMPLE])
    assert "Making .venv" in said
    assert "Installing kubelint-gpu" in said
    assert f"$ kubelint-gpu {EXAMPLE}\n" in said
    assert "findings\n" in said
    assert "exited with 1" in said


def test_what_is_set_up_is_left_alone_until_the_project_changes(clone):
    clone("try")
    assert clone("try")[2] == [EXAMPLE]
    with (clone.root / "pyproject.toml").open("a") as file:
        file.write("# changed\n")
    assert clone("try")[2] == [install("."), EXAMPLE]
    assert clone("try", moved=1)[2] == [install("."), EXAMPLE], "installed from a folder that was moved"


def test_tests_need_more_than_the_program_and_the_program_no_more_than_the_tests(clone):
    clone("try")
    assert clone("test")[2] == [install(".[dev]"), IN_PARALLEL]
    assert clone("test", "tests/kube", "-x")[2] == [f"{IN_PARALLEL} tests/kube -x"]
    assert clone("try")[2] == [EXAMPLE]


def test_a_set_up_that_failed_is_tried_again(clone):
    code, _, asked = clone("test", pip=3)
    assert (code, asked) == (3, [VENV, install(".[dev]")])
    assert clone("test")[2] == [install(".[dev]"), IN_PARALLEL]


@pytest.mark.parametrize(("found", "code"), [(1, 0), (0, 2), (2, 2)])
def test_try_succeeds_where_the_deadlock_is_found(clone, found, code):
    assert clone("try", found=found)[0] == code


@pytest.mark.parametrize("found", [0, 1, 2])
def test_arguments_are_the_linters_and_so_is_the_exit_code(clone, tmp_path, found):
    code, said, asked = clone("try", "check", "deploy", cwd=tmp_path, found=found)
    assert (code, asked[-1]) == (found, "check deploy")
    assert said.startswith("findings\n")
    assert "it should" not in said


def test_an_old_python_is_refused_with_what_is_needed(clone):
    code, said, asked = clone("try", too_old=1)
    assert (code, asked) == (2, [])
    assert said == "kubelint-gpu needs Python 3.10 or newer, and the PATH has none: install one, then try again\n"


def test_the_scripts_can_be_started():
    assert all(os.access(ROOT / name, os.X_OK) for name in ("try", "test"))
