"""What users install: the built wheel, and an editable installation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
KEPT = ("kubelint_gpu", "rules", "pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """A clean copy of what the wheel is built from."""
    folder = tmp_path_factory.mktemp("source")
    for name in KEPT:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, folder / name)
    for rule in (folder / "rules").glob("KLG*"):
        (rule / "__pycache__").mkdir()
        (rule / "__pycache__" / "module.cpython-310.pyc").touch()
    return folder


@pytest.fixture(scope="module")
def wheel(source, tmp_path_factory):
    out = tmp_path_factory.mktemp("dist")
    command = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(out), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    (found,) = out.glob("*.whl")
    return found


def run(path, *arguments):
    environment = os.environ | {"PYTHONPATH": str(path)}
    code = "import sys; from kubelint_gpu.cli import run; sys.argv[0] = 'kubelint-gpu'; run()"
    return subprocess.run(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        cwd=path,
        check=False,
    )


def test_the_wheel_carries_rules_with_their_code_schema_and_types(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "kubelint_gpu/py.typed" in names
    assert "kubelint_gpu/inventory/schema.json" in names
    for folder in (ROOT / "rules").iterdir():
        if folder.is_dir():
            assert f"kubelint_gpu/rules/{folder.name}/rule.yaml" in names
            module = folder.name.partition("-")[2].replace("-", "_")
            assert f"kubelint_gpu/rules/{folder.name}/{module}.py" in names
    assert not any(name.endswith(".pyc") for name in names)
    assert not any(name.startswith(("tests/", "rules/", "examples/")) for name in names)


def test_the_wheel_finds_the_deadlock_far_from_its_source(wheel, tmp_path):
    zipfile.ZipFile(wheel).extractall(tmp_path)
    tracker = ROOT / "examples" / "tracker"
    ran = run(tmp_path, "check", tracker / "tracker.yaml", "-i", tracker / "nodes.yaml")
    assert ran.returncode == 1, ran.stderr
    assert "error[KLG101]" in ran.stdout
    assert run(tmp_path, "explain", "KLG101").stdout.startswith("# ")


def test_a_checkout_finds_the_rules_beside_the_package(source):
    ran = run(source, "rules")
    assert ran.returncode == 0, ran.stderr
    assert "KLG101" in ran.stdout
