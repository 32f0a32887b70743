"""JSON as it is read, and what is said of broken JSON."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems import problem

from kubelint_gpu.documents import read


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
