"""What an earlier run has kept and nobody can read is as if it were not there, and is written anew."""

from __future__ import annotations

import os
import shutil

import pytest
from hostile_files import INVENTORY, deployment
from limited import run

DAMAGES = {
    "nothing": lambda data: data[:0],
    "half": lambda data: data[: len(data) // 2],
    "a part": lambda data: data[:-7],
    "zeros": lambda data: bytes(len(data)),
    "other bytes": lambda data: bytes(255 - byte for byte in data),
    "one bit": lambda data: bytes([*data[:40], data[40] ^ 1, *data[41:]]),
    "no text": lambda data: b"\xff\xfe" + data,
    "far too much": lambda data: data + bytes(300_000),
    "JSON": lambda data: data[:0] + b'{"a": [1]}\n',
}
PLACES = {
    "a folder": lambda path: path.mkdir(),
    "a full folder": lambda path: shutil.copytree(path.parents[3] / "work", path),
    "a pipe": os.mkfifo,
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a device": lambda path: path.symlink_to("/dev/zero"),
}


@pytest.fixture
def work(tmp_path):
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "a.yaml").write_text(deployment("first"))
    (folder / "i.yaml").write_text(INVENTORY)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: i.yaml\n")
    return folder


def checked(work, *more):
    environment = {"XDG_CACHE_HOME": str(work.parent / "cache"), "KUBELINT_GPU_NO_CACHE": ""}
    ended = run("check", "a.yaml", *more, cwd=work, environment=environment)
    return ended.returncode, ended.stdout, ended.stderr


def kept(work):
    return sorted(path for path in (work.parent / "cache").rglob("*") if not path.is_dir())


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_file_is_written_anew(name, work):
    first = checked(work)
    assert first[0] == 1
    files = {path: path.read_bytes() for path in kept(work)}
    assert files
    for path, data in files.items():
        path.write_bytes(DAMAGES[name](data))
    assert checked(work) == first
    # a file holds what its entries are, in the order in which they were written
    assert {path: sorted(path.read_bytes().splitlines()) for path in files} == {
        path: sorted(data.splitlines()) for path, data in files.items()
    }
    assert kept(work) == sorted(files)
    assert checked(work, "--no-ignores") == first


@pytest.mark.parametrize("name", PLACES)
def test_something_else_in_the_place_of_a_file(name, work):
    first = checked(work)
    for path in kept(work):
        path.unlink()
        PLACES[name](path)
    assert checked(work) == first
    assert checked(work) == first


@pytest.mark.parametrize("name", PLACES)
def test_something_else_in_the_place_of_a_folder(name, work):
    first = checked(work)
    folders = {path.parent for path in kept(work)}
    for folder in (*folders, *{folder.parent for folder in folders}):
        shutil.rmtree(folder, ignore_errors=True)
        if folder.parent.is_dir():
            PLACES[name](folder) if name != "a full folder" else shutil.copytree(work, folder)
    assert checked(work) == first


def test_what_was_left_by_a_run_that_was_killed_is_taken_away(work):
    first = checked(work)
    folder = kept(work)[0].parent
    left = [folder / f"{name}.1.aa.part" for name in ("00", "ff")]
    for path in left:
        path.write_bytes(b"x")
        os.utime(path, (1, 1))
    (work / "a.yaml").write_text(deployment("second"))
    assert checked(work)[0] == first[0]
    assert not any(path.exists() for path in left)
