"""The program's identity: other code is another program."""

import os

from kubelint_gpu.cache.digests import program_identity


def identity(folder):
    program_identity.cache_clear()
    return program_identity((str(folder),))


def test_other_code_is_another_program(tmp_path):
    folder = tmp_path / "KLG999-x"
    folder.mkdir()
    (folder / "x.py").write_text("a = 1\n")
    first = identity(tmp_path)
    assert identity(tmp_path) == first
    (folder / "x.py").write_text("a = 22\n")
    second = identity(tmp_path)
    os.utime(folder / "x.py", (1, 1))
    third = identity(tmp_path)
    (folder / "y.py").write_text("")
    assert len({first, second, third, identity(tmp_path)}) == 4


def test_bytecode_and_examples_are_no_code(tmp_path):
    first = identity(tmp_path)
    for name in ("__pycache__", "bad", "good"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a").write_text("x")
    assert identity(tmp_path) == first


def test_what_is_installed_counts(tmp_path, monkeypatch):
    first = identity(tmp_path)
    (tmp_path / "other-1.2.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert identity(tmp_path / "none") != first
