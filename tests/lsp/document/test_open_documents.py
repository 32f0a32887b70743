"""Documents as an editor changes them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.lsp.document.open_documents import OpenDocuments, TextChange, Texts, absolute


@given(
    st.text(alphabet="a\n\r\u2028\x85é😀", max_size=30),
    st.lists(
        st.tuples(st.integers(-1, 9), st.integers(-1, 9), st.integers(-1, 9), st.integers(-1, 9), st.text(max_size=3))
    ),
)
def test_no_change_whatever_it_says_breaks_a_document(text, changes):
    documents = OpenDocuments()
    documents.open("u", "p", 1, text)
    documents.change("u", 2, [TextChange(new, (a, b, c, d)) for a, b, c, d, new in changes])
    assert documents.get("u").version == 2


def test_changes_are_made_one_after_the_other():
    documents = OpenDocuments()
    documents.open("u", "p", 1, "a: 😀x\r\nb: y\r\n")
    documents.change(
        "u", 2, [TextChange("z", (0, 5, 0, 6)), TextChange("", (0, 6, 1, 0)), TextChange("!", (7, 0, 8, 0))]
    )
    assert documents.get("u").text == "a: 😀zb: y\r\n!"


def test_an_open_text_counts_before_the_file_and_the_file_after_it_is_closed(tmp_path):
    path = str(tmp_path / "a.yaml")
    (tmp_path / "a.yaml").write_text("kept: disk\n")
    texts = Texts()
    assert texts.reading(path, "a.yaml").documents[0].value == {"kept": "disk"}
    texts.update({path: "open: here\n"})
    assert (list(texts), texts.text(path)) == ([path], "open: here\n")
    assert texts.reading(path, "a.yaml").documents[0].value == {"open": "here"}
    texts.update({path: None})
    assert (list(texts), texts.text(path)) == ([], "")
    assert texts.reading(path, "a.yaml").documents[0].value == {"kept": "disk"}


def test_a_version_changes_with_the_contents_and_only_with_them(tmp_path):
    path = str(tmp_path / "a.yaml")
    texts = Texts()
    assert texts.version(path) is None
    assert texts.reading(path, "a.yaml") is None
    texts.update({path: "a: 1"})
    first = texts.version(path)
    assert texts.version(path) == first
    texts.update({path: "a: 2"})
    assert texts.version(path) != first


def test_what_was_read_is_read_once_for_each_version(tmp_path):
    path = str(tmp_path / "a.yaml")
    texts = Texts()
    texts.update({path: "a: 1"})
    known = texts.reading(path, "a.yaml")
    assert texts.reading(path, "a.yaml") is known
    assert texts.reading(path, "other/a.yaml") is not known
    texts.update({path: "a: 1"})
    assert texts.reading(path, "a.yaml") is not known


def test_kinds_that_others_see_and_names_are_found_in_open_texts_and_in_files(tmp_path):
    (tmp_path / "a.yaml").write_text("kind: PriorityClass\nmetadata: {name: high}\n")
    path = str(tmp_path / "a.yaml")
    texts = Texts()
    assert texts.words(path) == {"PriorityClass", "high"}
    assert texts.words(str(tmp_path / "none.yaml")) == frozenset()
    texts.update({path: "kind: Service\nmetadata: {name: web, namespace: ml}\n"})
    assert texts.words(path) == {"Service", "web", "ml"}


def test_a_path_is_followed_to_the_real_file(tmp_path):
    (tmp_path / "a.yaml").write_text("")
    (tmp_path / "link.yaml").symlink_to(tmp_path / "a.yaml")
    assert absolute(str(tmp_path / "link.yaml")) == absolute(str(tmp_path / "a.yaml"))
