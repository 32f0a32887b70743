"""What the product must not do: change the interpreter, modules or classes, or use private modules of the library."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator

from tools.house_modules import Module, Place

_LOADS_RULES = "kubelint_gpu/engine/registry.py"
_CALLS = frozenset({"exec", "eval", "compile", "__import__", "gc.disable", "os._exit"})
_MODULES = frozenset({"marshal", "imp"})
_TABLES = frozenset({"sys.modules", "sys.meta_path", "sys.path_hooks"})


def tricks(module: Module) -> Iterator[Place]:
    """Yield the places of a module that do so; loading the rules as the `importlib` documentation has it is none."""
    for node in module.nodes:
        if _is_trick(node, module.path):
            yield module.path, getattr(node, "lineno", 0)


def _is_trick(node: ast.AST, path: str) -> bool:
    if isinstance(node, ast.Call):
        called = ast.unparse(node.func)
        changes = called.rpartition(".")[0] in _TABLES and called.rpartition(".")[2] in ("insert", "append", "update")
        return called in _CALLS or changes
    if isinstance(node, ast.Import):
        return any(_is_private(alias.name) for alias in node.names)
    if isinstance(node, ast.ImportFrom):
        names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        return not node.level and any(map(_is_private, names))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store | ast.Del):
        return node.attr == "__class__" or ast.unparse(node) in _TABLES
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
        return ast.unparse(node.value) in _TABLES and path != _LOADS_RULES
    return False


def _is_private(name: str) -> bool:
    """Whether a module is `marshal`, or a private one of the standard library, such as `re._compiler`."""
    first, *further = name.split(".")
    private = any(part.startswith("_") and not part.startswith("__") for part in (first, *further))
    return first in _MODULES or (private and first in sys.stdlib_module_names)
