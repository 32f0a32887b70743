"""From a text to a syntax tree, by the grammar of cel-python.

The grammar is extended by features that Kubernetes enables: optional fields (`.?a`, `[?a]`), optional items of lists
and maps, and a comma after the last item.
Lark parses it bottom-up without recursion, so that no depth of nesting exhausts the stack.
"""

from __future__ import annotations

import sys
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from lark import Lark, Token, Transformer, Tree, UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

from kubelint_gpu.kube.cel.cel_errors import CompileError, Issue, compile_error, reserved, syntax_issue
from kubelint_gpu.kube.cel.macros import BadLiteral, expanded, literal
from kubelint_gpu.kube.cel.syntax import (
    Call,
    Const,
    Ident,
    ListNode,
    MapNode,
    Node,
    Select,
    Struct,
    children,
    qualified_name,
)

LONGEST = 10 * 1024
"""The most code points an expression of `resource.k8s.io` may have."""
DEEPEST = 250
"""How deep an expression may nest, as cel-go has it."""

_EXTENSION = """
%extend member: member_opt_dot | member_opt_index
member_opt_dot   : member "." "?" IDENT
member_opt_index : member "[" "?" expr "]"
%override relation_in : relation IN
IN : /in(?![_a-zA-Z0-9])/
%override list_lit : "[" [items] [","] "]"
items : item | items "," item
item  : expr | item_opt
item_opt : "?" expr
%override map_lit : "{" [entries] [","] "}"
entries : entry | entries "," entry
entry   : expr ":" expr | entry_opt
entry_opt : "?" expr ":" expr
"""
_NUMBERS = {"Double": ("double", 0.0), "Float": ("double", 0.0), "Int32": ("int", 0), "Int64": ("int", 0)}
_UNSIGNED = {"UInt32": ("uint", 0), "UInt64": ("uint", 0)}
_OTHERS = {"Bool": ("bool", False), "Bytes": ("bytes", b""), "String": ("string", "")}
_WRAPPERS = {f"google.protobuf.{name}Value": zero for name, zero in (_NUMBERS | _UNSIGNED | _OTHERS).items()}
"""The messages that stand for the value in them, and for this one without a field."""


def parse(source: str) -> Node:
    """The syntax tree of an expression, with macros expanded. Raises CompileError if the text is invalid."""
    if len(source) > LONGEST:
        raise CompileError(f"must be no more than {LONGEST} characters")
    if _nesting(source) > DEEPEST:
        raise compile_error(source, [Issue(None, f"expression recursion limit exceeded: {DEEPEST}")])
    try:
        tree: Node = _parser().parse(source)
    except (UnexpectedCharacters, UnexpectedToken, UnexpectedEOF) as error:
        raise compile_error(source, [syntax_issue(source, error)]) from None
    issues = [*_depth(tree)]
    if not issues:
        tree = expanded(tree, issues)
    issues += reserved(tree)
    if issues:
        raise compile_error(source, issues)
    return tree


@lru_cache(maxsize=1)
def _parser() -> Any:
    found = find_spec("celpy")
    if found is None or not found.submodule_search_locations:
        raise ModuleNotFoundError("cel-python is not installed: CEL expressions cannot be read", name="celpy")
    grammar = (Path(found.submodule_search_locations[0]) / "cel.lark").read_text(encoding="utf-8")
    # the tables are kept beside the bytecode, by a digest of the grammar and of what makes them
    kept = Path(__file__).parent / "__pycache__" / f"grammar.{sys.implementation.cache_tag}.bin"
    return Lark(
        grammar + _EXTENSION,
        parser="lalr",
        start="expr",
        keep_all_tokens=True,
        maybe_placeholders=False,
        priority="invert",
        lexer_callbacks={"IDENT": _ambiguous},
        transformer=_Builder(),
        cache=not sys.dont_write_bytecode and str(kept),
    )


def _ambiguous(token: Token) -> Token:
    """The token of `true`, `false` and `null`, which also match the terminal for names."""
    if token.value in ("true", "false"):
        return Token.new_borrow_pos("BOOL_LIT", token.value, token)
    if token.value == "null":
        return Token.new_borrow_pos("NULL_LIT", token.value, token)
    return token


def _place(token: Any) -> int:
    return int(token.start_pos)


def _pass(_self: Any, found: list[Any]) -> Any:
    return found[0]


def _operation(_self: Any, found: list[Any]) -> Any:
    """An operation: `left op` comes first, then the right side."""
    if len(found) == 1:
        return found[0]
    left, operator = found[0]
    names = {"in": "@in"}
    return Call(_place(operator), names.get(operator.value, f"_{operator.value}_"), [left, found[1]])


class _Builder(Transformer[Any, Any]):
    """Makes a node for each rule of the grammar."""

    def __default__(self, data: Any, children: list[Any], meta: Any) -> Any:
        if len(children) == 2 and str(data).partition("_")[0] in ("relation", "addition", "multiplication"):
            return tuple(children)
        if str(data).startswith("_"):
            return Tree(data, children)  # a part that Lark puts into its parent
        raise AssertionError(f"the grammar has a rule {data} that is not read")

    primary = _pass
    relation = addition = multiplication = _operation

    def expr(self, found: list[Any]) -> Any:
        if len(found) == 1:
            return found[0]
        condition, mark, yes, _, no = found
        return Call(_place(mark), "_?_:_", [condition, yes, no])

    def _logical(self, found: list[Any]) -> Any:
        if len(found) == 1:
            return found[0]
        left, operator, right = found
        name = f"_{operator.value}_"
        if isinstance(left, Call) and left.function == name and left.target is None and not isinstance(left, _Whole):
            left.args.append(right)
            return left
        return Call(_place(operator), name, [left, right])

    conditionalor = conditionaland = _logical

    def unary(self, found: list[Any]) -> Any:
        if len(found) == 1:
            return found[0]
        operator, operand = found
        name = "!_" if operator.value == "!" else "-_"
        if isinstance(operand, Call) and operand.function == name and not isinstance(operand, _Whole):
            return operand.args[0]
        if name == "-_" and isinstance(operand, Const) and operand.kind in ("int", "double") and operand.value >= 0:
            return Const(_place(operator), operand.kind, -operand.value)
        return Call(_place(operator), name, [operand])

    def unary_not(self, found: list[Any]) -> Any:
        return found[0]

    unary_neg = unary_not
    member = unary_not

    def member_dot(self, found: list[Any]) -> Any:
        operand, dot, name = found
        return Select(_place(dot), operand, str(name))

    def member_dot_arg(self, found: list[Any]) -> Any:
        target, _, name, bracket, *rest = found
        return Call(_place(bracket), str(name), _arguments(rest), target)

    def member_index(self, found: list[Any]) -> Any:
        return Call(_place(found[1]), "_[_]", [found[0], found[2]])

    def member_opt_dot(self, found: list[Any]) -> Any:
        operand, dot, _, name = found
        return Call(_place(dot), "_?._", [operand, Const(_place(name), "string", str(name))])

    def member_opt_index(self, found: list[Any]) -> Any:
        return Call(_place(found[1]), "_[?_]", [found[0], found[3]])

    def member_object(self, found: list[Any]) -> Any:
        name = qualified_name(found[0]) or ""
        fields = found[2] if isinstance(found[2], list) else []
        wrapped = _WRAPPERS.get(name.removeprefix("."))
        if wrapped is None or any(field != "value" for field, _ in fields):
            return Struct(_place(found[1]), name)
        return fields[-1][1] if fields else Const(_place(found[1]), *wrapped)

    def ident(self, found: list[Any]) -> Any:
        return Ident(_place(found[0]), str(found[0]))

    def dot_ident(self, found: list[Any]) -> Any:
        return Ident(_place(found[1]), f".{found[1]}")

    def ident_arg(self, found: list[Any]) -> Any:
        name, bracket, *rest = found
        return Call(_place(bracket), str(name), _arguments(rest))

    def dot_ident_arg(self, found: list[Any]) -> Any:
        return self.ident_arg(found[1:])

    def paren_expr(self, found: list[Any]) -> Any:
        inner = found[1]
        if isinstance(inner, Call) and inner.function in ("_&&_", "_||_", "!_", "-_"):
            return _Whole(inner.offset, inner.function, inner.args, inner.target)
        return inner

    def list_lit(self, found: list[Any]) -> Any:
        items = found[1] if isinstance(found[1], list) else []
        missing = frozenset(place for place, (_, optional) in enumerate(items) if optional)
        return ListNode(_place(found[0]), [item for item, _ in items], missing)

    def items(self, found: list[Any]) -> Any:
        return found if len(found) == 1 else [*found[0], found[2]]

    entries = items

    def item(self, found: list[Any]) -> Any:
        return found[0] if isinstance(found[0], tuple) else (found[0], False)

    def item_opt(self, found: list[Any]) -> Any:
        return found[1], True

    def map_lit(self, found: list[Any]) -> Any:
        return MapNode(_place(found[0]), found[1] if isinstance(found[1], list) else [])

    def entry(self, found: list[Any]) -> Any:
        return found[0] if isinstance(found[0], tuple) else (found[0], found[2], False)

    def entry_opt(self, found: list[Any]) -> Any:
        return found[1], found[3], True

    def exprlist(self, found: list[Any]) -> Any:
        return [one for one in found if not isinstance(one, Token)]

    def fieldinits(self, found: list[Any]) -> Any:
        return [(str(name), value) for name, value in zip(found[::4], found[2::4], strict=True)]

    def literal(self, found: list[Any]) -> Any:
        token = found[0]
        try:
            kind, value = literal(token.type, str(token))
        except BadLiteral as error:
            return Const(_place(token), "invalid", str(error))
        return Const(_place(token), kind, value)


class _Whole(Call):
    """An operation in brackets, which does not merge with operations outside of them."""


def _arguments(rest: list[Any]) -> list[Node]:
    return rest[0] if isinstance(rest[0], list) else []


def _nesting(source: str) -> int:
    """How deep brackets nest; brackets in strings count as well, because no valid text nests so deep."""
    depth = most = 0
    for letter in source:
        depth += (letter in "([{") - (letter in ")]}")
        most = max(most, depth)
    return most


def _depth(tree: Node) -> list[Issue]:
    """The message of cel-go for a tree that is too deep."""
    waiting = [(tree, 1)]
    while waiting:
        node, depth = waiting.pop()
        if depth > DEEPEST:
            return [Issue(None, "max recursion depth exceeded")]
        waiting += [(child, depth + 1) for child in children(node)]
    return []
