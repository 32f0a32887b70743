"""Open texts, and files that are not open."""

from __future__ import annotations

from kubelint_gpu.lsp.document.texts import Texts, absolute


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
