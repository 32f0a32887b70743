"""Where `tools/house.py` looks, and the modules that it reads.

A folder that gets another name costs one line here.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

PACKAGE = "kubelint_gpu"
PRODUCT = (PACKAGE, "rules")
RULES = ("rules", f"{PACKAGE}/rules")
PLUGINS = (f"{PACKAGE}/scheduler/plugins",)
CONTROLLERS = (f"{PACKAGE}/simulation/controllers",)
WORDS = (f"{PACKAGE}/messages", f"{PACKAGE}/scheduler/framework/release.py")
BUDGET = (f"{PACKAGE}/budget.py",)
CORE = tuple(f"{PACKAGE}/{name}" for name in ("scheduler", "simulation", "analysis"))
TALKS = (*CORE, *RULES, *(f"{PACKAGE}/{name}" for name in ("engine", "builders", "evidence", "messages", "explain")))
"""Folders and modules by what is in them. Of each, some exist today and others when a folder has its new name."""

READ_FILES = {"expiry", "did_you_mean", "did_you_mean_label", "suppressions"}
"""Modules of `TALKS` that search in texts of users, not in texts of this program."""
OWN_TEXT = {"message", "messages", "cause", "reason", "reasons", "refusal", "told", "title", "why", "help"}
"""Names of variables and attributes that hold a text of this program."""
KUBERNETES_NUMBERS = {"_ABSENT", "_LOWEST", "_NEVER", "_OLDEST", "MOST_CANDIDATES", "NOTE_LIMIT"}
"""Constants of the core that are no thresholds of a search."""
SHORT = 150  # lines of a module that could stand in its only importer
LONG = 30
"""A module with more lines needs a test file of its name."""

READING = {"startswith", "endswith", "partition", "rpartition", "removeprefix", "removesuffix", "replace", "split"}
SEARCHING = {"search", "match", "fullmatch", "findall", "finditer", "sub"}
Place = tuple[str, int]


@dataclass(frozen=True)
class Module:
    """A Python file, its path relative to the repository."""

    path: str
    text: str
    tree: ast.Module

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of its syntax."""
        return list(ast.walk(self.tree))

    @property
    def name(self) -> str:
        """The dotted name; of `__init__.py` that of the package."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def base(self) -> str:
        """The last part of the dotted name."""
        return self.name.rpartition(".")[2]

    @property
    def lines(self) -> int:
        """How many lines it has."""
        return len(self.text.splitlines())

    @property
    def is_package(self) -> bool:
        """Whether it is an `__init__.py`."""
        return self.path.endswith("/__init__.py")

    def is_in(self, folders: Iterable[str]) -> bool:
        """Whether it lies below one of these folders, or is one of these files."""
        return any(self.path == one or self.path.startswith(f"{one}/") for one in folders)


def modules(root: Path, folders: Iterable[str]) -> list[Module]:
    """All modules below some folders, in the order of their paths."""
    found = []
    for path in sorted(path for folder in folders for path in (root / folder).rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        found.append(Module(path.relative_to(root).as_posix(), text, ast.parse(text)))
    return found


def strings(module: Module) -> Iterator[tuple[str, int]]:
    """All strings of a module with their lines, parts of f-strings too; no docstrings."""
    alone = {id(node.value) for node in module.nodes if isinstance(node, ast.Expr)}
    for node in module.nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in alone:
            yield node.value, node.lineno


def name_of(node: ast.AST | None) -> str:
    """The last name of an expression: `reason` of `lack.reason`, `reasons` of `status.reasons[0]`."""
    while isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def root_of(node: ast.AST) -> str:
    """The first name of an expression: `gc` of `gc.callbacks[0]`."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def texts(node: ast.AST) -> list[str]:
    """The string that a literal is, or the strings of a tuple."""
    parts = node.elts if isinstance(node, (ast.Tuple, ast.List)) else [node]
    return [one.value for one in parts if isinstance(one, ast.Constant) and isinstance(one.value, str)]


def looped(module: Module) -> dict[str, list[str]]:
    """The literals that a name of a comprehension goes through."""
    loops = [node for node in module.nodes if isinstance(node, ast.comprehension)]
    return {name_of(one.target): texts(one.iter) for one in loops if texts(one.iter)}


def is_number(node: ast.AST) -> bool:
    """Whether an expression is made of numbers only."""
    parts = [one for one in ast.walk(node) if not isinstance(one, (ast.operator, ast.unaryop, ast.BinOp, ast.UnaryOp))]
    return all(isinstance(one, ast.Constant) and type(one.value) in (int, float) for one in parts)


def foreign(module: Module) -> Iterator[str]:
    """Names that a test module imports from elsewhere than the product. `sys.modules[…]` is a module of anybody."""
    for node in module.nodes:
        if isinstance(node, ast.Import):
            yield from (one.asname or one.name.partition(".")[0] for one in node.names if one.name != "sys")
        elif isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] in sys.stdlib_module_names:
            yield from (one.asname or one.name for one in node.names)
