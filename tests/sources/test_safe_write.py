"""Writing a file back: all of it or nothing."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.safe_write import NotWritable, ended_with_the_run, replace_file


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


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_with_its_number(number):
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, ended_with_the_run():
        os.kill(os.getpid(), number)
    assert ended.value.code == 128 + number
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_with_the_run():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_sets_no_handler():
    seen = []

    def inside():
        with ended_with_the_run():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
