import json

import pytest
from edited import after, changed, data, keys, only, pointers, same, scalars, surroundings, texts, written
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from kubelint_gpu.documents import read
from kubelint_gpu.documents.editing import Edit, apply, remove_key, replace_scalar, set_key
from kubelint_gpu.documents.emitter import scalar_text
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.documents.moves import remove_entry
from kubelint_gpu.documents.source_text import encode

DEPLOYMENT = """\
apiVersion: apps/v1 # the API
kind: Deployment
metadata: {name: a}
spec:
  replicas: 2  # two
  strategy:
    # how
    type: RollingUpdate
  template:
    spec:
      containers:
      - name: a # the name
        # about the image
        image: b
        args: |
          # text

      tolerations:
      - {key: x, effect: NoSchedule}
      nodeSelector:
# end
"""


def lines_changed(text, new):
    before, behind = text.splitlines(), new.splitlines()
    return [line for line in before if line not in behind], [line for line in behind if line not in before]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("pointer", "key", "value", "gone", "added"),
    [
        (("spec",), "replicas", 3, ["  replicas: 2  # two"], ["  replicas: 3  # two"]),
        (("metadata",), "namespace", "b", ["metadata: {name: a}"], ["metadata: {name: a, namespace: b}"]),
        (("spec",), "paused", True, [], ["  paused: true"]),
        (
            ("spec", "strategy"),
            "rollingUpdate",
            {"maxSurge": 0, "maxUnavailable": "25%"},
            [],
            ["    rollingUpdate:", "      maxSurge: 0", "      maxUnavailable: 25%"],
        ),
        (("spec",), "strategy", {"type": "Recreate"}, ["    type: RollingUpdate"], ["    type: Recreate"]),
        (("spec",), "strategy", None, ["  strategy:", "    type: RollingUpdate"], ["  strategy: null"]),
        (
            ("spec", "template", "spec", "containers", 0, "resources", "limits"),
            "nvidia.com/gpu",
            1,
            [],
            ["        resources:", "          limits:", "            nvidia.com/gpu: 1"],
        ),
        (
            ("spec", "template", "spec", "nodeSelector"),
            "gpu",
            "true",
            [],
            ['        gpu: "true"'],
        ),
        (
            ("spec", "template", "spec"),
            "nodeSelector",
            [{"a": [1, []]}, "b"],
            [],
            ["      - a:", "        - 1", "        - []", "      - b"],
        ),
        (
            ("spec", "template", "spec", "tolerations", 0),
            "key",
            {"a": 1},
            ["      - {key: x, effect: NoSchedule}"],
            ["      - {key: {a: 1}, effect: NoSchedule}"],
        ),
        ((), "status", {}, [], ["status: {}"]),
        ((), "metadata", {"name": "c"}, ["metadata: {name: a}"], ["metadata:", "  name: c"]),
        (("spec",), "replicas", {"a": "b"}, ["  replicas: 2  # two"], ["  replicas: # two", "    a: b"]),
    ],
)
def test_set_key_writes_what_a_person_would_write(pointer, key, value, gone, added, newline):
    text = DEPLOYMENT.replace("\n", newline)
    item = only(text)
    new = after(item, set_key(item, pointer, key, value))
    changed = lines_changed(text, new)
    assert changed == (gone, added) or (changed[0], changed[1]) == ([*gone, "    # how"], added)
    assert new.count("\r") == (new.count("\n") if newline == "\r\n" else 0)
    node = only(new).value
    for step in (*pointer, key):
        node = node[step]
    assert node == value


@pytest.mark.parametrize(
    ("pointer", "gone", "added"),
    [
        (("spec", "replicas"), ["  replicas: 2  # two"], []),
        (("metadata", "name"), ["metadata: {name: a}"], ["metadata: {}"]),
        (("kind",), ["kind: Deployment"], []),
        (
            ("spec", "template", "spec", "containers", 0, "name"),
            ["      - name: a # the name", "        # about the image", "        image: b"],
            ["      - # about the image", "        image: b"],
        ),
        (("spec", "template", "spec", "containers", 0, "image"), ["        image: b"], []),
        (
            ("spec", "template", "spec", "tolerations", 0, "key"),
            ["      - {key: x, effect: NoSchedule}"],
            ["      - {effect: NoSchedule}"],
        ),
        (
            ("spec", "template", "spec", "tolerations", 0, "effect"),
            ["      - {key: x, effect: NoSchedule}"],
            ["      - {key: x}"],
        ),
        (("spec", "template", "spec", "nodeSelector"), ["      nodeSelector:"], []),
        (("spec", "strategy", "type"), ["  strategy:", "    type: RollingUpdate"], ["  strategy: {}"]),
    ],
)
def test_remove_key_takes_the_key_and_nothing_else(pointer, gone, added):
    item = only(DEPLOYMENT)
    changed = lines_changed(DEPLOYMENT, after(item, remove_key(item, pointer)))
    assert sorted(changed[0]) == sorted(line for line in gone if line not in added)
    assert sorted(changed[1]) == sorted(line for line in added if line not in gone)


JSON = """{
\t"kind": "A",
\t"spec": {
\t\t"replicas": 2
\t},
\t"empty": {}, "one": {"a": 1, "b": 2}
}
"""


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        (lambda item: replace_scalar(item, ("spec", "replicas"), "3"), '"replicas": 2', '"replicas": 3'),
        (lambda item: replace_scalar(item, ("kind",), "B"), '"kind": "A"', '"kind": "B"'),
        (lambda item: set_key(item, ("spec",), "x", "é"), '"replicas": 2', '"replicas": 2,\n\t\t"x": "\\u00e9"'),
        (
            lambda item: set_key(item, ("spec", "y"), "x", 1),
            '"replicas": 2',
            '"replicas": 2,\n\t\t"y": {\n\t\t\t"x": 1\n\t\t}',
        ),
        (lambda item: set_key(item, ("empty",), "x", {"y": 1}), "{}", '{"x": {"y": 1}}'),
        (lambda item: set_key(item, ("one",), "x", {"y": 1}), '"b": 2', '"b": 2, "x": {"y": 1}'),
        (lambda item: remove_key(item, ("one", "a")), '"a": 1, ', ""),
        (lambda item: remove_key(item, ("one", "b")), ', "b": 2', ""),
        (lambda item: remove_key(item, ("spec", "replicas")), '{\n\t\t"replicas": 2\n\t}', "{}"),
        (lambda item: remove_key(item, ("kind",)), '"kind": "A",\n\t', ""),
    ],
)
@pytest.mark.parametrize("path", ["a.json", "a.yaml"])
def test_json_stays_json(change, old, new, path):
    item = only(JSON, path)
    changed = after(item, change(item))
    assert changed == JSON.replace(old, new, 1)
    json.loads(changed)


def test_other_documents_of_the_file_are_left_alone():
    text = "a: 1\n---\n# x\na: 1\n---\n\tbroken\n"
    item = only(text, index=1)
    assert after(item, set_key(item, (), "b", 2)) == "a: 1\n---\n# x\na: 1\nb: 2\n---\n\tbroken\n"


def test_a_file_without_final_line_end_is_extended():
    item = only("a: 1")
    assert after(item, set_key(item, (), "b", 2)) == "a: 1\nb: 2"
    assert after(item, remove_key(item, ("a",))) == "{}"
    item = only("a: 1\nb: 2")
    assert after(item, remove_key(item, ("b",))) == "a: 1"


def test_a_key_after_a_text_whose_line_ends_count_is_put_first():
    text = "a: |+\n  x\n\n"
    item = only(text)
    assert after(item, set_key(item, (), "b", 2)) == "b: 2\n" + text


def test_an_empty_value_gets_its_space():
    item = only("a:\nb:\n-\n")
    assert after(item, replace_scalar(item, ("a",), "1")) == "a: 1\nb:\n-\n"
    assert after(item, replace_scalar(item, ("b", 0), "1")) == "a:\nb:\n- 1\n"


@pytest.mark.parametrize(
    ("text", "change"),
    [
        ("a: &x {b: 1}\nc: *x\n", lambda item: replace_scalar(item, ("a", "b"), "2")),
        ("a: &x {b: 1}\nc: *x\n", lambda item: replace_scalar(item, ("c", "b"), "2")),
        ("a: &x 1\nc: *x\n", lambda item: replace_scalar(item, ("c",), "2")),
        ("a: &x {b: 1}\nc: *x\n", lambda item: set_key(item, ("c",), "d", 1)),
        ("a: &x {b: 1}\nc: *x\n", lambda item: remove_key(item, ("a", "b"))),
        ("a: &x {b: 1}\nc: {<<: *x}\n", lambda item: replace_scalar(item, ("c", "b"), "2")),
        ("a: &x {b: 1}\nc: {<<: *x}\n", lambda item: remove_key(item, ("c", "b"))),
        ("a: {b: 1}\n", lambda item: replace_scalar(item, ("a",), "2")),
        ("a: 1\n", lambda item: replace_scalar(item, ("b",), "2")),
        ("a: 1\n", lambda item: replace_scalar(item, ("a",), "[1]")),
        ("a: 1\n", lambda item: replace_scalar(item, ("a",), "2\nb: 3")),
        ("a: 1\n", lambda item: replace_scalar(item, ("a",), "'")),
        ("a: [1]\n", lambda item: set_key(item, ("a",), "b", 1)),
        ("a: [1]\n", lambda item: set_key(item, ("a", 0), "b", 1)),
        ("a: [1]\n", lambda item: set_key(item, ("a", 5), "b", 1)),
        ("a: [1]\n", lambda item: remove_key(item, ("a", 0))),
        ("a: 1\n", lambda item: remove_key(item, ())),
        ("a: 1\n", lambda item: remove_entry(item, ())),
        ("a: 1\n", lambda item: remove_entry(item, ("a",))),
        ("a: 1\n", lambda item: remove_entry(item, ("a", 0))),
        ("a: [1]\n", lambda item: remove_entry(item, ("a", 1))),
        ("a: &x [1, 2]\nc: *x\n", lambda item: remove_entry(item, ("a", 0))),
        ("a: &x [1, 2]\nc: *x\n", lambda item: remove_entry(item, ("c", 0))),
        ("x: &x 1\na: [*x, 2]\n", lambda item: remove_entry(item, ("a", 0))),
        ("a: 1\n", lambda item: remove_key(item, ("b",))),
        ("b: 1\na: 1\na: 2\n", lambda item: remove_key(item, ("a",))),
    ],
)
def test_what_would_change_more_than_asked_is_not_editable(text, change):
    item = only(text)
    with pytest.raises(NotEditable) as caught:
        change(item)
    assert caught.value.reason


def test_an_explicit_key_overrides_a_merged_one():
    item = only("a: &x {b: 1}\nc:\n  <<: *x\n")
    assert after(item, set_key(item, ("c",), "b", 2)) == "a: &x {b: 1}\nc:\n  <<: *x\n  b: 2\n"


def test_edits_of_one_file_are_applied_together():
    item = only("a: 1\nb: 2\n")
    first, second = replace_scalar(item, ("b",), "20"), replace_scalar(item, ("a",), "10")
    source = item.document.source
    assert apply(source, [first, second, first]) == "a: 10\nb: 20\n"
    assert apply(source, []) == source.text
    with pytest.raises(NotEditable, match="overlap"):
        apply(source, [first, replace_scalar(item, ("b",), "30")])
    with pytest.raises(NotEditable, match=r"b\.yaml"):
        apply(source, [Edit("b.yaml", first.span, "")])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_bytes_come_back_in_the_encoding_they_had(encoding):
    content = "a: é\r\n".encode(encoding)
    source = read("a.yaml", content).source
    assert encode(source, source.text) == content


@settings(deadline=None)
@given(text=texts, new=scalars, choose=st.data())
def test_a_replaced_scalar_changes_its_pointer_and_no_other_byte(text, new, choose):
    value, style, newline, comment = text
    source = written(value, style, newline, comment)
    item = only(source)
    pointer, _ = choose.draw(
        st.sampled_from([found for found in pointers(value) if not isinstance(found[1], dict | list)] or [((), None)])
    )
    assume(pointer)
    edit = replace_scalar(item, pointer, scalar_text(new))
    result = surroundings(item, edit, source)
    assert same(only(result).value, changed(value, pointer, new))
    again = only(result)
    if again.document.is_json == item.document.is_json:
        assert after(again, replace_scalar(again, pointer, scalar_text(new))) == result
    if comment and style == "block":
        assert result.count("# x") >= source.count("# x")


@settings(deadline=None)
@given(text=texts, key=keys, new=data, choose=st.data())
def test_a_set_key_changes_its_pointer_and_no_other_byte(text, key, new, choose):
    value, style, newline, comment = text
    source = written(value, style, newline, comment)
    item = only(source)
    pointer, _ = choose.draw(st.sampled_from([found for found in pointers(value) if isinstance(found[1], dict)]))
    edit = set_key(item, pointer, key, new)
    result = surroundings(item, edit, source)
    assert same(only(result).value, changed(value, (*pointer, key), new))
    again = only(result)
    assert same(only(after(again, set_key(again, pointer, key, new))).value, only(result).value)


@settings(deadline=None)
@given(text=texts, choose=st.data())
def test_a_removed_key_is_gone_and_no_other_byte(text, choose):
    value, style, newline, comment = text
    source = written(value, style, newline, comment)
    item = only(source)
    pointer, _ = choose.draw(
        st.sampled_from([found for found in pointers(value) if found[0] and isinstance(found[0][-1], str)])
    )
    try:
        edit = remove_key(item, pointer)
    except NotEditable:
        # The last key on the line of a list item that lies in a list that begins on that line.
        assert style == "block"
        return
    result = surroundings(item, edit, source)
    assert same(read("a.yaml", result.encode()).documents[0].value, changed(value, pointer, ...))


@settings(deadline=None)
@given(text=texts, new=data, choose=st.data())
def test_a_key_set_before_another_one_changes_no_other_byte(text, new, choose):
    value, style, newline, comment = text
    source = written(value, style, newline, comment)
    item = only(source)
    mappings = [(pointer, found) for pointer, found in pointers(value) if isinstance(found, dict) and found]
    assume(mappings)
    pointer, found = choose.draw(st.sampled_from(mappings))
    assume("brand-new" not in found)
    edit = set_key(item, pointer, "brand-new", new, before=choose.draw(st.sampled_from(list(found))))
    result = surroundings(item, edit, source)
    assert same(only(result).value, changed(value, (*pointer, "brand-new"), new))


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("a: 1\n# about b\nb: 2\n", "a: 1\nnew: {}\n# about b\nb: 2\n"),
        ("x:\n  a: 1\n  b: 2\n", "x:\n  a: 1\n  new: {}\n  b: 2\n"),
        ("x: {a: 1, b: 2}\n", "x: {a: 1, new: {}, b: 2}\n"),
        ("x:\n- b: 1\n", "x:\n- b: 1\n  new: {}\n"),
    ],
)
def test_a_key_comes_before_another_one(text, result):
    item = only(text)
    pointer = () if text.startswith("a") else ("x",) if "- " not in text else ("x", 0)
    assert after(item, set_key(item, pointer, "new", {}, before="b")) == result
