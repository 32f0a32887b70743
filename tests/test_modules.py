"""The file of all modules: written by a run, used by the next, and never in place of a source that has changed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

from kubelint_gpu import modules
from kubelint_gpu.modules import KeptModules, _Later

ROOT = Path(__file__).resolve().parents[1]
LOADED = """
import sys
from kubelint_gpu import modules
modules.use()
from kubelint_gpu.cli.main import invoke
code = invoke(sys.argv[1:])
own = [one for name, one in sys.modules.items() if name.startswith("kubelint_gpu")]
print("kept", sum(isinstance(one.__spec__.loader, modules.KeptModules) for one in own), file=sys.stderr)
of = modules.KeptModules
others = {name for name, one in sys.modules.items() if isinstance(getattr(one, "__loader__", None), of)}
assert {"click", "json"} <= others or not others
assert type(sys.modules["inspect"]) is not type(sys) or not others, "click asks for it, and a run that prints no help never"
assert "ruamel.yaml.main" not in sys.modules or not others, "of the YAML library only what parses"
modules.keep()
sys.exit(code)
"""

EARLY = """
from kubelint_gpu import modules
import kubelint_gpu.cli.commands.check, kubelint_gpu.engine.run, kubelint_gpu.analysis.rollout_facts
"""


@pytest.fixture
def program(tmp_path):
    """A copy of the program, and what calls it."""
    for name in ("kubelint_gpu", "rules"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "kubelint_gpu" / "__pycache__").mkdir()
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "KUBELINT_GPU_NO_CACHE": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def call(program=LOADED):
        arguments = ["check", "--isolated", "--inventory", "nodes.yaml", "tracker.yaml"]
        ran = subprocess.run(
            [sys.executable, "-c", program, *arguments],
            cwd=ROOT / "examples" / "tracker",
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if program != LOADED:
            return ran.stderr, 0
        assert ran.returncode == 1, ran.stderr
        said, _, number = ran.stderr.partition("kept ")
        assert not said
        return ran.stdout.partition("Checked")[0], int(number)

    return tmp_path / "kubelint_gpu", call


def kept_file(package):
    return next((package / "__pycache__").glob("modules.*.bin"))


def test_a_run_writes_the_file_and_the_next_one_imports_out_of_it(program):
    package, call = program
    said, kept = call()
    assert kept == 0
    assert call() == (said, pytest.approx(450, abs=250))
    assert kept_file(package).stat().st_mode & 0o111 == 0


def test_what_is_in_the_file_and_was_imported_before_it_is_no_reason_to_write_it(program):
    package, call = program
    call()
    there = kept_file(package).stat().st_ino
    assert call(f"{EARLY}\nmodules.use()\nmodules.keep()") == ("", 0)
    assert kept_file(package).stat().st_ino == there


def test_a_source_that_has_changed_is_imported_and_a_broken_file_is_not_read(program):
    package, call = program
    call()
    source = package / "report" / "formats" / "text.py"
    source.write_text(source.read_text() + "\nrender = lambda *_: ['another']\n")
    assert call()[0] == "another"
    kept_file(package).write_bytes(b"\0\0\1\0xyz")
    assert call() == ("another", 0)
    assert call()[1]


def flipped(data, place):
    return bytes([*data[:place], data[place] ^ 255, *data[place + 1 :]])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:0],
        lambda data: data[: len(data) // 2],
        lambda data: data[:-9],
        lambda data: b"\xff" * 8 + data[8:],
        lambda data: flipped(data, 2),
        lambda data: flipped(data, 6),
        lambda data: flipped(data, 100),
        lambda data: data[: len(data) // 2] + bytes(255 - byte for byte in data[len(data) // 2 :]),
        lambda data: flipped(data, len(data) - 1),
        lambda data: data[:20_000] + bytes(len(data) - 20_000),
    ],
)
def test_a_damaged_file_changes_nothing_and_is_written_anew(program, damage):
    package, call = program
    said, _ = call()
    path = kept_file(package)
    whole = path.read_bytes()
    path.write_bytes(damage(whole))
    left = path.with_name(f"{path.name}.12345")
    left.write_bytes(b"of a run that was killed")
    for _ in range(2):
        assert call()[0] == said
    assert call()[1] > 200
    read = modules.KeptModules(str(path))
    assert {*read.entries}
    assert all(read.code(name) for name in read.entries)
    assert not read.is_damaged
    assert not left.exists()


def test_what_another_interpreter_or_release_has_written_is_not_read(program):
    package, call = program
    call()
    (package / "version.py").write_text((package / "version.py").read_text() + '\n__version__ = "9"\n')
    assert call()[1] == 0
    assert call()[1]


def test_a_folder_that_cannot_be_written_to_is_left_alone(program):
    package, call = program
    call()
    kept_file(package).unlink()
    shutil.rmtree(package / "__pycache__")
    (package / "__pycache__").write_text("")
    assert call()[1] == 0


def test_a_package_that_runs_later_gives_its_modules_without_it(monkeypatch):
    names = ("later", "later.part")
    kept = KeptModules.__new__(KeptModules)
    kept.entries = {name: (f"{name}.py", name == "later", True, 0, 0, 0, 0) for name in names}
    kept._codes = {name: compile("import later.part\nvalue = 1", f"{name}.py", "exec") for name in names}
    for name in names:
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
        sys.modules[name].__spec__ = ModuleSpec(name, kept, is_package=name == "later")
        kept.exec_module(sys.modules[name])
    package, part = (sys.modules[name] for name in names)
    package.part = part
    assert package.part.value == 1
    assert [isinstance(one, _Later) for one in (package, part)] == [True, False]
    assert package.value == 1
    assert not isinstance(package, _Later)


def test_a_module_that_runs_later_runs_once_and_whole_for_threads_that_ask_at_once():
    kept = KeptModules.__new__(KeptModules)
    kept.entries = {"slow": ("slow.py", False, True, 0, 0, 0, 0)}
    kept._codes = {"slow": compile("import time\nran = [1]\ntime.sleep(0.05)\nvalue = len(ran)", "slow.py", "exec")}
    module = ModuleType("slow")
    module.__spec__ = ModuleSpec("slow", kept)
    kept.exec_module(module)
    assert isinstance(module, _Later)
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda _: module.value, range(8))) == [1] * 8
    assert not isinstance(module, _Later)
    assert not kept._codes


@pytest.mark.parametrize("later", [False, True])
def test_a_module_that_finds_attributes_itself_still_does(later):
    kept = KeptModules.__new__(KeptModules)
    kept.entries = {"own": ("own.py", False, later, 0, 0, 0, 0)}
    kept._codes = {"own": compile("def __getattr__(name):\n    return name.upper()", "own.py", "exec")}
    module = ModuleType("own")
    module.__spec__ = ModuleSpec("own", kept)
    kept.exec_module(module)
    assert [module.other, module.another] == ["OTHER", "ANOTHER"]
