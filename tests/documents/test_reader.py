import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import problem, values

from kubelint_gpu.documents import HELM, items, read
from kubelint_gpu.documents.parser import parser_name

both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


STREAMS = [
    ("", []),
    ("# only a comment\n", []),
    ("\n\n", []),
    ("---\n", [None]),
    ("# licence\n---\na: 1\n---\n# end\n", [{"a": 1}, None]),
    ("--- # comment\na: 1\n--- \nb: 2", [{"a": 1}, {"b": 2}]),
    ("---\n---\na: 1\n", [None, {"a": 1}]),
    ("a: |\n  x\n  ---\n  y\n", [{"a": "x\n---\ny\n"}]),
    ("a: 1\r\n---\r\nb: 2\r\n", [{"a": 1}, {"b": 2}]),
    ("a: 1\r---\rb: 2\r", [{"a": 1}, {"b": 2}]),
    ("a: 1\n...\n", [{"a": 1}]),
    ("a: 1\n...\n---\nb: 2\n", [{"a": 1}, {"b": 2}]),
    ("just text\n", ["just text"]),
    ("- op: replace\n  path: /a\n", [[{"op": "replace", "path": "/a"}]]),
    ("a: &x 1\nb: *x\nc: &x 2\nd: *x\n", [{"a": 1, "b": 1, "c": 2, "d": 2}]),
    ("a: &x {k: 1}\nb: *x\n", [{"a": {"k": 1}, "b": {"k": 1}}]),
    ("? &k a\n: 1\n? *k\n: 2\n".replace("? *k\n: 2\n", "b: *k\n"), [{"a": 1, "b": "a"}]),
    ("x: &a {p: 1, q: 2}\nz: {p: 9, <<: *a, q: 8}\n", [{"x": {"p": 1, "q": 2}, "z": {"p": 1, "q": 8}}]),
    (
        "x: &a {p: 1}\nw: &b {p: 5, r: 5}\nz:\n  <<: [*a, *b]\n  q: 8\n",
        [{"x": {"p": 1}, "w": {"p": 5, "r": 5}, "z": {"p": 1, "r": 5, "q": 8}}],
    ),
    ('x: &a {p: 1}\nz: {"<<": *a}\n', [{"x": {"p": 1}, "z": {"<<": {"p": 1}}}]),
    ("<<: {a: 1, b: 1}\na: 2\n", [{"a": 2, "b": 1}]),
    ("m: =\n", [{"m": "="}]),
    ("a: &k x\n*k : 1\n", [{"a": "x", "x": 1}]),
    ("!!str 1: a\n!foo 2: b\n", [{"1": "a", "2": "b"}]),
    ("a: |\n  x", [{"a": "x\n"}]),
    ("yes: 1\n2: 3\n", [{"true": 1, "2": 3}]),
    ("a:\n- b\n-\n  - c\n- {d: [], e: {}}\nf:\n", [{"a": ["b", ["c"], {"d": [], "e": {}}], "f": None}]),
    ("- \n-\n- a\n", [[None, None, "a"]]),
    (
        '{\n\t"a": [1, 2.5e1, true, null],\n\t"b": {"c": "\\ud83d\\ude00\\/"}}\n',
        [{"a": [1, 25, True, None], "b": {"c": "😀/"}}],
    ),
    ('{"a": 1}\n{"b": 2}\n', [{"a": 1}, {"b": 2}]),
    ('[{"a": 1}]', [[{"a": 1}]]),
    ("{a: b} # flow\n", [{"a": "b"}]),
    ('{"' + "k" * 2000 + '": 1}', [{"k" * 2000: 1}]),
    ("{}", [{}]),
    ("[]\n---\n{}", [[], {}]),
    ('{"a": "half \\ud800"}', [{"a": "half \ufffd"}]),
    ("--- # json\n{}", [{}]),
]


@both
@pytest.mark.parametrize(("text", "expected"), STREAMS)
def test_streams_are_read_as_kubectl_reads_them(text, expected, pure):
    assert json.dumps(values(text, pure=pure)) == json.dumps(expected)


@both
def test_equal_keys_are_a_problem_that_names_both_and_the_last_counts(pure):
    reading = read("a.yaml", b"a: 1\nb: {c: 1}\na: 2\n", pure=pure)
    assert reading.documents[0].value == {"a": 2, "b": {"c": 1}}
    (found,) = reading.problems
    assert found.span.line == 3
    ((first, _),) = found.related
    assert first.line == 1
    assert reading.documents[0].locate(("a",)).line == 3


def test_keys_that_are_equal_only_for_kubectl_are_equal():
    assert "'1'" in problem('1: a\n"1": b\n').message
    assert "'true'" in problem("yes: a\ntrue: b\n").message


@both
@pytest.mark.parametrize(
    "text",
    [
        "a: &x [*x]\n",
        "a: *nope\n",
        "? [a]\n: b\n",
        "? {a: b}\n: c\n",
        "a: &x [1]\n*x : 2\n",
        "null: 1\n",
        ": 1\n",
        "<<: 5\n",
    ],
)
def test_what_has_no_meaning_for_kubectl_is_a_problem(text, pure):
    assert problem(text, pure=pure).span.line >= 1


@both
def test_a_broken_document_costs_no_other(pure):
    good = "kind: A\n---\nkind: B\n---\n{broken}---\nkind: D\n---\nkind: E\n"
    for broken in (
        "\ta: 1\n",
        "a: 'x\n",
        "a: [1\n",
        "a: b: c\n",
        "{{- if x }}\na: 1\n{{- end }}\n",
        "a: *x\n",
        "a\nb: 1\n",
    ):
        reading = read("a.yaml", good.replace("{broken}", broken).encode(), pure=pure)
        assert [document.value["kind"] for document in reading.documents] == ["A", "B", "D", "E"]
        assert [document.index for document in reading.documents] == [0, 1, 2, 3]
        (found,) = reading.problems
        assert 5 <= found.span.line <= 7
        assert found.span.start < found.span.end


def test_the_parser_in_use_has_a_name():
    assert parser_name(pure=True) == "pure Python"
    assert parser_name() in {"libyaml", "pure Python"}


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text("ab:-[]{}#&*!|>'\"%@`~<\t\n\r \u2028\ufeff0", max_size=40).map(str.encode))
def test_no_bytes_crash_the_reader(content):
    for pure in (False, True):
        reading = read("a.yaml", content, pure=pure)
        for document in reading.documents:
            assert document.span.start <= document.span.end
            items(document)
        for found in reading.problems:
            assert found.message


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n", 3),
        ("{{- if .Values.on }}\nkind: Pod\n{{- end }}\n", 1),
        ('kind: Pod\nmetadata:\n{{ include "labels" . | indent 2 }}\n', 3),
    ],
)
def test_a_helm_template_is_called_one_at_its_first_action(text, line):
    (problem,) = read("a.yaml", text.encode()).problems
    assert (problem.message, problem.span.line) == (HELM, line)


@pytest.mark.parametrize("text", ["name: {{ foo }}\n", "# {{ .Values.x }}\nname: [\n"])
def test_other_text_that_is_no_yaml_is_not_called_one(text):
    assert HELM not in [problem.message for problem in read("a.yaml", text.encode()).problems]


def test_a_template_in_a_text_of_yaml_is_read():
    assert read("a.yaml", b"text: '{{ .Values.x }}'\n").problems == ()
