"""Writing a file back: all of it or nothing."""

from __future__ import annotations

import os

import pytest

from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.safe_write import NotWritable, replace_file


def test_what_the_system_refuses_leaves_the_file_and_no_other(tmp_path, monkeypatch):
    path = tmp_path / "a.yaml"
    path.write_bytes(b"old")

    def refuse(*_names):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    with pytest.raises(NotWritable, match="Permission denied"):
        replace_file(path, b"new", tmp_path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_only_plain_files_below_the_root_are_written(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    outside = tmp_path / "a.yaml"
    outside.write_bytes(b"old")
    with pytest.raises(NotWritable, match="outside"):
        replace_file(outside, b"new", inside)
    with pytest.raises(NotWritable, match="no plain file"):
        replace_file(inside, b"new", tmp_path)
    assert outside.read_bytes() == b"old"


def test_the_root_is_the_nearest_folder_with_git(tmp_path):
    (tmp_path / ".git").mkdir()
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)
    assert repository_root(below) == tmp_path
