"""Folders of rules that are broken are told, with the file and the cause."""

from __future__ import annotations

import shutil
import sys

import pytest

from kubelint_gpu.engine import registry
from kubelint_gpu.engine.registry import checks, codes, rule, world_rule
from kubelint_gpu.findings import catalogue
from kubelint_gpu.findings.catalogue import BrokenRule

GOOD = """\
from kubelint_gpu.engine.registry import rule


@rule("KLG999")
def made_up(unit):
    return ()
"""


@pytest.fixture
def folder(tmp_path):
    """The folder of a rule that is not there yet."""
    codes()
    made = tmp_path / "KLG999-made-up"
    made.mkdir()
    yield made
    sys.modules.pop("kubelint_gpu.rules.made_up", None)
    for known in registry._KNOWN:
        known.pop("KLG999", None)


def load(folder, text=None):
    if text is not None:
        (folder / "made_up.py").write_text(text)
    registry._load("KLG999", folder)


def test_a_folder_with_a_module_of_its_name_is_a_rule(folder):
    load(folder, GOOD)
    assert "KLG999" in registry._CHECKS
    assert (folder / "__pycache__").is_dir() is not sys.dont_write_bytecode


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        (None, "the folder of a rule has a module of this name, and there is none"),
        ("def made_up(:\n", "SyntaxError: "),
        ("import kubelint_gpu.nonsense\n", "ModuleNotFoundError: No module named 'kubelint_gpu.nonsense'"),
        ("def made_up(unit):\n    return ()\n", 'no function is decorated with @rule("KLG999")'),
        (GOOD.replace("KLG999", "KLG998"), "ValueError: KLG998 is not the code of the folder"),
        (GOOD.replace("KLG999", "KLG101"), "ValueError: KLG101 is registered twice"),
        (GOOD + GOOD, "ValueError: KLG999 is registered twice"),
    ],
)
def test_a_broken_folder_is_told_with_its_file_and_is_no_rule(folder, text, cause):
    with pytest.raises(BrokenRule) as error:
        load(folder, text)
    assert error.value.message.startswith(f"{folder}/made_up.py: {cause}")
    assert "KLG999" not in registry._CHECKS
    assert "kubelint_gpu.rules.made_up" not in sys.modules
    # a file that is written twice within a second may have the bytecode of its first text
    shutil.rmtree(folder / "__pycache__", ignore_errors=True)
    load(folder, GOOD)
    assert "KLG999" in registry._CHECKS


def test_no_code_has_two_functions():
    code = next(iter(checks()))
    with pytest.raises(ValueError, match=f"{code} is registered twice"):
        rule(code)(lambda _unit: ())
    with pytest.raises(ValueError, match=f"{code} is registered twice"):
        world_rule(code)(lambda _world: ())


def test_rules_come_in_the_order_of_codes():
    assert list(checks()) == sorted(checks())


def test_two_folders_with_one_code_are_told(tmp_path):
    for name in ("KLG999-made-up", "KLG999-other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "rule.yaml").touch()
    with pytest.raises(BrokenRule, match="KLG999-other: the folder KLG999-made-up has the same code"):
        catalogue.folders(tmp_path)
