"""What cel-go reads in a text, the text reader reads in it."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from kubelint_gpu.kube.cel.cel_errors import CompileError
from kubelint_gpu.kube.cel.parsing import DEEPEST, LONGEST, parse
from kubelint_gpu.kube.cel.syntax import Call, Const, Ident, ListNode, MapNode, Node, Select


def shown(node: Node) -> str:
    """A tree as text, every operation in brackets."""
    if isinstance(node, Const):
        return repr(node.value)
    if isinstance(node, Ident):
        return node.name
    if isinstance(node, Select):
        return f"{shown(node.operand)}.{node.name}"
    if isinstance(node, ListNode):
        return f"[{', '.join(map(shown, node.items))}]"
    if isinstance(node, MapNode):
        return f"{{{', '.join(f'{shown(key)}: {shown(value)}' for key, value, _ in node.entries)}}}"
    assert isinstance(node, Call)
    target = "" if node.target is None else f"{shown(node.target)}."
    return f"{target}{node.function}({', '.join(map(shown, node.args))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1 + 2 * 3 - 4", "_-_(_+_(1, _*_(2, 3)), 4)"),
        ("a || b && c || d", "_||_(a, _&&_(b, c), d)"),
        ("(a || b) || c", "_||_(_||_(a, b), c)"),
        ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
        ("{a ? b : c: d}", "{_?_:_(a, b, c): d}"),
        ("!!a == -b.c", "_==_(a, -_(b.c))"),
        ("- 1 - -1", "_-_(-1, -1)"),
        ("a.b(1)[2].?c in [d]", "@in(_?._(_[_](a.b(1), 2), 'c'), [d])"),
        ("[1, 2,] + [,] + []", "_+_(_+_([1, 2], []), [])"),
        ("{'a': 1,}", "{'a': 1}"),
        ('"""a"b"""', "'a\"b'"),
        ("indexes in index", "@in(indexes, index)"),
        (".a // b\n .b", ".a.b"),
    ],
)
def test_operators_bind_as_in_cel_go(text: str, tree: str) -> None:
    assert shown(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a[0]index", 5, "mismatched input 'index' expecting <EOF>"),
        ("a 'b'", 3, "extraneous input ''b'' expecting <EOF>"),
        ("(a", 3, "mismatched input '<EOF>'"),
        ("(a]", 3, "mismatched input ']'"),
        ("a ? b ? c : d : e", 7, "mismatched input '?'"),
        ("{a}", 3, "mismatched input '}'"),
        ("[,1]", 3, "mismatched input '1'"),
        ("a = b", 3, "token recognition error at: '= '"),
        ("'a", 1, "token recognition error at: ''a'"),
        ("a[]", 3, "mismatched input ']'"),
        ("'\\x'", 1, "unable to unescape string"),
    ],
)
def test_the_first_word_that_may_not_stand_there_is_told(text: str, place: int, message: str) -> None:
    with pytest.raises(CompileError) as caught:
        parse(text)
    assert caught.value.column == place
    assert message in caught.value.issues[0].message


@pytest.mark.parametrize(
    "text", ["!" * (LONGEST - 1) + "a", "a?a:" * (LONGEST // 4 - 1) + "a", "[" * DEEPEST + "]" * DEEPEST]
)
def test_no_depth_exhausts_the_stack(text: str) -> None:
    try:
        parse(text)
    except CompileError as error:
        assert "recursion" in error.text  # noqa: PT017 - either is right


def test_the_tables_of_the_grammar_are_kept_beside_the_bytecode() -> None:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    program = "from kubelint_gpu.kube.cel.parsing import parse; parse('a + 1')"
    without_grammar = f"import lark.lark; lark.lark.load_grammar = None; {program}"
    for one in (program, without_grammar):
        subprocess.run([sys.executable, "-c", one], env=environment, check=True)
