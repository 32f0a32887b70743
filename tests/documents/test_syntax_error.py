"""What is said of broken YAML."""

import pytest
from problems import problem

both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


BROKEN = [
    ("a:\n\tb: 1\n", 2, 1, "a tab is used for indentation"),
    ("a:\n  b: 1\n\tc: 2\n", 3, 1, "a tab is used for indentation"),
    ("a: {{ .x }}\n", 1, 4, "a template"),
    ("a: 1\n{{- if y }}\nb: 1\n", 2, 1, "a template"),
    ("{% if x %}\na: 1\n", 1, 1, "a template"),
    ("%{ if x }\na: 1\n", 1, 1, "a template"),
    ("<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", 1, 1, "a conflict of a merge"),
    ("a: b: c\n", 1, 5, "a second `: `"),
    ("a: foo\n  bar: 1\n", 2, 6, "a key where the text above"),
    ("a: 1\nb\nc: 2\n", 2, 1, "a key without a colon"),
    ("a:\n    b: 1\n  c: 2\n", 3, 3, "this line is indented by 2"),
    ("a:\n  - b\n c: 1\n", 3, 2, "this line is indented by 1"),
    ("a:\n- b: 1\n  - c\n", 3, 3, "this `-` is indented by 2"),
    ("- a\nb: 1\n", 2, 1, "this line belongs to no list"),
    ("  a: 1\nb: 2\n", 2, 1, "this line is indented less"),
    ("a: [1, 2\nb: 3\n", 1, 4, "this [ is never closed"),
    ("a: {b: 1\nc: 2\n", 1, 4, "this { is never closed"),
    ("a: [\n  b,\n", 2, 4, "the text ends inside of brackets"),
    ("a: 'b\nc: 2\n", 1, 4, "this quote is never closed"),
    ('a: "b\nc: 2\n', 1, 4, "this quote is never closed"),
    ("a: @b\n", 1, 4, "@ cannot begin a value"),
    ("a: `b`\n", 1, 4, "` cannot begin a value"),
    ("a: 'x' y\n", 1, 8, "unexpected text behind the end"),
    ("image: {username}/torchserve\n", 1, 18, "unexpected text behind the end"),
    ("a: - b\n", 1, 4, "a list cannot begin"),
    ("a: *\n", 1, 5, "* begins an alias"),
    ("a: & b\n", 1, 5, "& begins an anchor"),
    ("a: !x!y z\n", 1, 4, "! begins a tag"),
    ("a: |x\n  b\n", 1, 5, "only an indentation number"),
    ("a: \x01\n", 1, 4, "a control character"),
    ("a: ]\n", 1, 4, "a value is expected before ]"),
    ("%YAML 1.1\n", 1, 1, "kubectl refuses directives"),
    ("--- {a: 1}\n", 1, 5, "kubectl refuses text behind `---`"),
    ("a: 1\n...\nb: 2\n", 3, 1, "kubectl reads no second document"),
]


@both
@pytest.mark.parametrize(("text", "line", "column", "message"), BROKEN)
def test_broken_yaml_is_explained_at_its_place(text, line, column, message, pure):
    found = problem(text, pure=pure)
    assert found.message.startswith(message)
    assert (found.span.line, found.span.column) == (line, column)


@both
def test_an_unknown_escape_is_explained(pure):
    assert "an unknown escape" in problem('a: "\\d"\n', pure=pure).message
