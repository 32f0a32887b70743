"""Texts to edit in all styles of YAML, and what an edit changed of them."""

import json

from hypothesis import strategies as st

from kubelint_gpu.documents import items, read
from kubelint_gpu.documents.editing import apply
from kubelint_gpu.documents.emitter import block_lines, flow_text


def only(text, path="a.yaml", index=0):
    return items(read(path, text.encode()).documents[index])[0]


def after(item, edit):
    return apply(item.document.source, [edit])


words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8).filter(
    lambda text: "\0" not in text
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | words
)
keys = st.sampled_from(["a", "b", "yes", "1", "x.y/z", "é é", "", "#", "- ", "25%", "0x1"]) | words
data = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=10,
)
objects = st.dictionaries(keys, data, min_size=1, max_size=4)
STYLES = ("block", "flow", "json", "pretty")


def written(value, style, newline, comment):
    if style == "json":
        return json.dumps(value)
    if style == "pretty":
        return json.dumps(value, indent=2).replace("\n", newline) + newline
    if style == "flow":
        return flow_text(value) + newline
    lines = block_lines(value)
    if comment:
        lines = [part for line in lines for part in ("# é", line + " # x")]
    return newline.join([*lines, ""])


def same(left, right):
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


def pointers(value, pointer=()):
    yield pointer, value
    if isinstance(value, dict):
        for key, entry in value.items():
            yield from pointers(entry, (*pointer, key))
    elif isinstance(value, list):
        for index, entry in enumerate(value):
            yield from pointers(entry, (*pointer, index))


def changed(value, pointer, new):
    copy = json.loads(json.dumps(value))
    if not pointer:
        return new
    parent = copy
    for step in pointer[:-1]:
        parent = parent[step]
    if new is ...:
        del parent[pointer[-1]]
    else:
        parent[pointer[-1]] = new
    return copy


texts = st.tuples(objects, st.sampled_from(STYLES), st.sampled_from(["\n", "\r\n"]), st.booleans())


def surroundings(item, edit, text):
    new = after(item, edit)
    assert new.startswith(text[: edit.span.start])
    assert new.endswith(text[edit.span.end :])
    return new
