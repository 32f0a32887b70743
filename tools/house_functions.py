"""Functions that are too complex, or that take too many parameters."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tools.house_modules import Module

COMPLEX = 30
"""The most decisions of a function, as McCabe counts them."""
PARAMETERS = 7
"""The most parameters of a function, without `self` and `cls`."""
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.ExceptHandler, ast.match_case)

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(module: Module) -> Iterator[Function]:
    """Yield the functions and methods of a module."""
    yield from (node for node in module.nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def complexity(function: Function) -> int:
    """Return 1 and the number of decisions: branches, loops, `and`, `or`, comprehensions, with inner functions."""
    found = 1
    for node in ast.walk(function):
        if isinstance(node, _BRANCHES):
            found += 1
        elif isinstance(node, ast.comprehension):
            found += 1 + len(node.ifs)
        elif isinstance(node, ast.BoolOp):
            found += len(node.values) - 1
    return found


def parameters(function: Function) -> int:
    """Return the number of parameters, without `self` and `cls`."""
    every = [*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs]
    return len(every) - (bool(every) and every[0].arg in ("self", "cls"))
