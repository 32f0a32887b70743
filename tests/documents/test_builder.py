"""Where each value stands, however deep.

How much a file may hold.
"""

from __future__ import annotations

import pytest
from problems import marked, problem, values

from kubelint_gpu.documents import read
from kubelint_gpu.documents.builder import MAX_DEPTH

both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


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
def test_what_files_have_in_common_is_in_memory_once(pure):
    texts = ("kind: some-word\nother: some-word\n", "some: some-word\nkind: some-word\n")
    one, other = (read(f"{number}.yaml", text.encode(), pure=pure).documents[0] for number, text in enumerate(texts))
    assert one.value["kind"] is one.value["other"] is other.value["kind"]
    assert next(iter(one.value)) is list(other.value)[1]


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
