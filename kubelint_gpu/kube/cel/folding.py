"""What is worked out when a program is made: a conversion of a literal that fails keeps it from being made."""

from __future__ import annotations

from kubelint_gpu.kube.cel.cel_errors import EvaluationError
from kubelint_gpu.kube.cel.functions.numbers import CONVERSIONS, FUNCTIONS
from kubelint_gpu.kube.cel.syntax import Call, Const, Node, children


def folding_error(tree: Node) -> str:
    """Why no program can be made of a tree; empty where one can."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        waiting += children(node)
        if isinstance(node, Call) and node.function in CONVERSIONS and node.target is None:
            value = node.args[0]
            if isinstance(value, Const):
                try:
                    FUNCTIONS[node.function](value.value)
                except EvaluationError as error:
                    return str(error)
    return ""
