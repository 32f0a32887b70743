import codecs
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubelint_gpu.documents import comments, items, read, too_large
from kubelint_gpu.documents.builder import MAX_DEPTH
from kubelint_gpu.documents.parser import parser_name

both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


def values(text, *, pure=False, path="a.yaml"):
    reading = read(path, text.encode(), pure=pure)
    assert reading.problems == ()
    return [document.value for document in reading.documents]


def problem(text, *, pure=False, path="a.yaml"):
    reading = read(path, text.encode(), pure=pure)
    assert len(reading.problems) == 1, reading.problems
    return reading.problems[0]


def marked(document, pointer, role="value"):
    """The text that a place covers, after checking that lines and columns say the same as offsets."""
    span = document.locate(pointer, role)
    lines = document.source.text.replace("\r\n", "\n\n").replace("\r", "\n").split("\n")
    if "\r\n" not in document.source.text:
        start = sum(len(line) + 1 for line in lines[: span.line - 1]) + span.column - 1
        end = sum(len(line) + 1 for line in lines[: span.end_line - 1]) + span.end_column - 1
        assert (start, end) == (span.start, span.end)
    return document.source.text[span.start : span.end]


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
def test_colons_in_flow_collections_need_no_quotes(pure):
    """As go-yaml has it, which reads manifests for kubectl; libyaml would want quotes."""
    text = "a: [http://x, a:b, {image: nginx:1.2}] # why\nb: {uri: hf://y}\n"
    assert values(text, pure=pure) == [{"a": ["http://x", "a:b", {"image": "nginx:1.2"}], "b": {"uri": "hf://y"}}]
    reading = read("a.yaml", f"{text}---\nc: [d:e, *f]\n---\ng: h\n".encode(), pure=pure)
    assert [document.value for document in reading.documents] == [values(text)[0], {"g": "h"}]
    assert len(reading.problems) == 1
    assert [comment.text for comment in comments(reading)] == ["# why"]


def test_a_tab_behind_a_colon_is_accepted():
    assert values("a:\t1\nb: 2\t\n--- \t\n") == [{"a": 1, "b": 2}, None]


def test_text_behind_a_line_separator_in_a_comment_is_applied():
    assert values("x: 1 # foo\u2028z: 2\n") == [{"x": 1, "z": 2}]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_byte_order_marks_are_no_part_of_the_text(encoding):
    reading = read("a.yaml", "é: 1\n".encode(encoding))
    assert reading.problems == ()
    assert reading.source.has_bom
    assert reading.source.text == "é: 1\n"
    assert marked(reading.documents[0], ("é",)) == "1"


def test_a_byte_order_mark_within_a_stream_moves_no_position():
    (first, second) = read("a.yaml", b"a: 1\n---\n" + codecs.BOM_UTF8 + b"b: 2\n").documents
    assert first.value == {"a": 1}
    assert second.value == {"b": 2}
    assert marked(second, ("b",)) == "2"


def test_bytes_that_are_no_utf8_are_named_with_their_place():
    reading = read("a.yaml", b"a: 1\nb: \xc3\xa9\xe9\n")
    (found,) = reading.problems
    assert reading.source is None
    assert (found.span.line, found.span.column) == (2, 5)
    assert "0xe9" in found.message


def test_binary_files_are_said_to_be_binary():
    (found,) = read("a.yaml", b"\x7fELF\0\0").problems
    assert "binary" in found.message
    assert found.span is None


def test_a_file_beyond_the_limit_is_not_read():
    reading = read("a.yaml", b"a: 1\n", max_bytes=4)
    assert reading.documents == ()
    assert reading.problems == too_large("a.yaml", 4).problems
    assert read("a.yaml", b"a: 1", max_bytes=4).problems == ()


TEXT = """\
# first
apiVersion: v1  # é😀
kind: "Pod"
spec:
  containers:
  - name: 😀x
    'args': [a, {b: c}]
    env:
    - &e {name: A}
    - *e
  empty:
  block: |
    one
    # two

  plain: some
    more text
list:
  - - deep
"""


@both
@pytest.mark.parametrize(
    ("pointer", "key", "value"),
    [
        ((), "apiVersion", TEXT[TEXT.index("apiVersion") : -1]),
        (("apiVersion",), "apiVersion", "v1"),
        (("kind",), "kind", '"Pod"'),
        (("spec", "containers"), "containers", TEXT[TEXT.index("- name") : TEXT.index("\n  empty")]),
        (("spec", "containers", 0), "name", TEXT[TEXT.index("name:") : TEXT.index("\n  empty")]),
        (("spec", "containers", 0, "name"), "name", "😀x"),
        (("spec", "containers", 0, "args"), "'args'", "[a, {b: c}]"),
        (("spec", "containers", 0, "args", 0), "a", "a"),
        (("spec", "containers", 0, "args", 1), "b", "{b: c}"),
        (("spec", "containers", 0, "args", 1, "b"), "b", "c"),
        (("spec", "containers", 0, "env", 0), "name", "{name: A}"),
        (("spec", "containers", 0, "env", 1), "name", "*e"),
        (("spec", "containers", 0, "env", 1, "name"), "name", "A"),
        (("spec", "empty"), "empty", "empty"),
        (("spec", "block"), "block", "|\n    one\n    # two"),
        (("spec", "plain"), "plain", "some\n    more text"),
        (("list", 0, 0), "deep", "deep"),
        (("list", 0), "deep", "- deep"),
        (("list",), "list", "- - deep"),
        (("spec", "absent", "deeper"), "spec", "spec"),
        (("spec", "containers", 0, "resources", "limits"), "name", "name"),
        (("spec", "containers", 7), "containers", "containers"),
        (("kind", "x"), "kind", "kind"),
        (("absent",), "apiVersion", "apiVersion"),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_keys_and_values_are_found_at_their_exact_place(pointer, key, value, pure, newline):
    (document,) = read("a.yaml", TEXT.replace("\n", newline).encode(), pure=pure).documents
    assert marked(document, pointer, "key") == key
    assert marked(document, pointer) == value.replace("\n", newline)


def test_an_absent_field_is_not_present_and_a_null_one_is():
    (document,) = read("a.yaml", TEXT.encode()).documents
    assert document.present(("spec", "empty"))
    assert not document.present(("spec", "absent"))
    assert not document.present(("spec", "containers", -1))
    assert document.present(())


def test_entries_of_a_merge_key_are_found_where_they_are_written():
    (document,) = read("a.yaml", b"x: &a {p: 1}\ny1:\n  <<: *a\n  q: 2\n").documents
    assert document.locate(("y1", "p")).line == 1
    assert document.locate(("y1", "q")).line == 3 + 1


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
def test_aliases_of_aliases_cost_no_memory_and_end_in_a_problem(pure):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 30)]
    found = problem("\n".join(lines), pure=pure)
    assert "aliases" in found.message
    assert found.span.line < 8


def test_the_bound_on_aliases_is_that_of_the_file_and_not_of_a_document():
    text = "a: &a [" + "x, " * 1000 + "]\nb: [" + "*a, " * 150 + "]\n"
    assert read("a.yaml", text.encode()).problems == ()
    assert len(read("a.yaml", (text + "---\n" + text).encode()).problems) == 1


@both
@pytest.mark.parametrize(
    ("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", ""), ('{"a":', "}"), ("[[[ ", "")], ids=str
)
def test_deep_nesting_is_a_problem_and_no_crash(opening, closing, pure):
    depth = 20_000 if not pure else 2_000
    assert "nested" in problem(opening * depth + "1" + closing * depth, pure=pure).message


def test_nesting_up_to_the_limit_is_read():
    (value,) = values("[" * MAX_DEPTH + "]" * MAX_DEPTH)
    assert value
    assert "nested" in problem("[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1)).message


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


@pytest.mark.parametrize(
    ("text", "column", "message"),
    [
        ('{"a": 1,}', 9, "a key in double quotes is expected"),
        ('{"a" 1}', 6, "`:` is expected"),
        ('{"a": 1 "b": 2}', 9, "`,` or the closing bracket"),
        ('{"a": [1 2]}', 10, "`,` or the closing bracket"),
        ('{"a": 01}', 7, "a value is expected"),
        ('{"a": tru}', 7, "a value is expected"),
        ('{"a": ]}', 7, "a value is expected"),
        ("[1}", 3, "`,` or the closing bracket"),
        ('{"a": 1} x', 10, "a value is expected"),
        ('{"a": 1', 8, "`,` or the closing bracket"),
        ("{1: 2}", 2, "a key in double quotes"),
    ],
)
def test_broken_json_is_explained_in_a_json_file(text, column, message):
    found = problem(text, path="a.json")
    assert found.message.startswith(f"not JSON: {message}")
    assert found.span.column == column


def test_the_parser_in_use_has_a_name():
    assert parser_name(pure=True) == "pure Python"
    assert parser_name() in {"libyaml", "pure Python"}


data = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=9), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@settings(deadline=None)
@given(value=st.lists(data, max_size=3), indent=st.sampled_from([None, 1, "\t"]), ascii_only=st.booleans())
def test_json_is_read_as_json_and_every_value_is_where_it_is_written(value, indent, ascii_only):
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    reading = read("a.json", text.encode())
    assert reading.problems == ()
    (document,) = reading.documents
    assert json.dumps(document.value) == json.dumps(value)
    todo = [((), value)]
    while todo:
        pointer, part = todo.pop()
        span = document.locate(pointer)
        assert json.loads(text[span.start : span.end]) == part
        if isinstance(part, dict):
            todo += [((*pointer, name), entry) for name, entry in part.items()]
        elif isinstance(part, list):
            todo += [((*pointer, index), entry) for index, entry in enumerate(part)]


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


def kinds(text):
    return [
        (item.value["kind"], item.pointer)
        for document in read("a.yaml", text.encode()).documents
        for item in items(document)
    ]


def test_lists_are_taken_apart_and_their_items_keep_their_place():
    text = """
apiVersion: v1
kind: List
items:
- kind: A
- apiVersion: v1
  kind: RoleList
  items:
  - kind: B
  - metadata: {name: c}
- text
- kind: D
---
kind: E
---
- kind: F
---
kind: ConfigMapList
items:
---
kind: PlayList
tracks: []
---
"""
    assert kinds(text) == [
        ("A", ("items", 0)),
        ("B", ("items", 1, "items", 0)),
        ("Role", ("items", 1, "items", 1)),
        ("D", ("items", 3)),
        ("E", ()),
        ("PlayList", ()),
    ]
    found = items(read("a.yaml", text.encode()).documents[0])
    assert found[2].value == {"apiVersion": "v1", "kind": "Role", "metadata": {"name": "c"}}
    assert found[2].locate(("metadata", "name")).line == 10
    assert found[2].locate(("spec",)).line == 10
    assert found[2].present(("metadata", "name"))
    assert not found[2].present(("kind",))
