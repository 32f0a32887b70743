"""The code of a rule is one module in its folder, which no other rule uses."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from kubelint_gpu.engine.registry import codes
from kubelint_gpu.findings.catalogue import folders, rules_folder

PACKAGE = rules_folder().parent / "kubelint_gpu"
MODULES = {path.stem: path for path in sorted(rules_folder().glob("*/*.py"))}
ALLOWED = {
    "analysis",
    "budget",
    "builders",
    "documents",
    "engine",
    "evidence",
    "findings",
    "groups",
    "inventory",
    "kube",
    "messages",
    "scheduler",
    "simulation",
    "sources",
    "values",
    "work",
    "workspace",
}
DECORATORS = {"rule", "world_rule", "closing_rule"}
LONGEST = 300

every_module = pytest.mark.parametrize("path", MODULES.values(), ids=lambda path: path.stem)


def imported(tree):
    """The names of all modules and of what is taken from them, wherever the import stands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names)


def trespasses(text):
    """What a rule must not import: other rules, whatever runs rules or prints findings, and a way round this test."""
    for name in imported(ast.parse(text)):
        first, _, rest = name.partition(".")
        inside, _, what = rest.partition(".")
        foreign = first in ("", "importlib", "sys", *MODULES) or (first == "kubelint_gpu" and inside not in ALLOWED)
        runs_rules = rest.startswith("engine.registry") and what.rpartition(".")[2] not in DECORATORS
        if foreign or runs_rules:
            yield name


def test_every_folder_has_one_module_with_the_name_of_its_rule():
    expected = {code: [f"{folder.name.partition('-')[2].replace('-', '_')}.py"] for code, folder in folders().items()}
    assert {code: [path.name for path in sorted(folder.glob("*.py"))] for code, folder in folders().items()} == expected


def test_every_module_lies_in_the_folder_of_a_rule():
    assert {path.parent for path in rules_folder().rglob("*.py")} == set(folders().values())


def test_the_names_of_the_modules_are_those_of_no_other_module():
    names = Counter(path.stem for path in [*rules_folder().rglob("*.py"), *PACKAGE.rglob("*.py")])
    assert {name: names[name] for name in MODULES if names[name] > 1} == {}


@every_module
def test_a_rule_imports_no_other_rule_and_nothing_that_runs_rules(path):
    assert list(trespasses(path.read_text())) == []


@pytest.mark.parametrize(
    "text",
    [
        "from kubelint_gpu.rules.rollout_deadlock import rollout_deadlock",
        "import kubelint_gpu.rules",
        "import rollout_deadlock",
        "from . import rollout_deadlock",
        "from .rollout_deadlock import rollout_deadlock",
        "from importlib import import_module",
        "from kubelint_gpu.engine.registry import checks",
        "from kubelint_gpu.engine import registry",
        "import kubelint_gpu.engine.registry",
        "from kubelint_gpu import rules",
        "def late():\n    from kubelint_gpu.cli.main import invoke",
        "from kubelint_gpu.report.formats.text import render",
    ],
)
def test_a_way_to_another_rule_would_be_seen(text):
    assert list(trespasses(text))


@every_module
def test_a_module_is_short_and_its_only_public_names_are_the_rule(path):
    text = path.read_text()
    functions = [one for one in ast.parse(text).body if isinstance(one, ast.FunctionDef | ast.ClassDef)]
    assert [one.name for one in functions if not one.name.startswith("_")] == [path.stem]
    assert len(text.splitlines()) < LONGEST


def test_the_product_imports_no_rule_by_name():
    texts = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    for path, text in texts.items():
        tree = ast.parse(text if "rules" in text else "")
        named = [name for name in imported(tree) if name.startswith("kubelint_gpu.rules")]
        assert named == [], path


def test_folders_and_functions_are_the_same_rules():
    assert set(folders()) == codes()
