"""A file that somebody saves while `--fix` works is left as it was saved."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from hostile_files import INVENTORY
from limited import ROOT

FIXABLE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: NAME}
spec:
  replicas: 1
  selector: {matchLabels: {app: NAME}}
  template:
    metadata: {labels: {app: NAME}}
    spec:
      containers: [{name: a, image: a, resources: {requests: {nvidia.com/gpu: 1}}}]
"""
EDITS = {
    "another text": "text.replace(b'replicas: 1', b'replicas: 3')",
    "a longer text": "text + b'# mine\\n'",
    "a shorter text": "text[:-1]",
    "nothing": "b''",
}
SAVE = """
import os
before = os.fsync
def saving(*arguments):
    text = open("a.yaml", "rb").read()
    open("../saved", "wb").write({edit})
    open("a.yaml.new", "wb").write({edit})
    os.rename("a.yaml.new", "a.yaml")
    os.fsync = before
    return before(*arguments)
os.fsync = saving
"""


def fixed(folder, edit, *texts):
    """The run of `--fix` in which somebody saves a.yaml while the new text is written."""
    (folder / "sitecustomize.py").write_text(SAVE.format(edit=edit))
    work = folder / "work"
    work.mkdir()
    for name, text in texts:
        (work / name).write_bytes(text)
    (work / "i.yaml").write_text(INVENTORY)
    return subprocess.run(
        [sys.executable, "-m", "kubelint_gpu", "check", *dict(texts), "-i", "i.yaml", "--fix", "--unsafe-fixes"],
        cwd=work,
        env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"},
        capture_output=True,
        check=False,
        timeout=60,
    )


@pytest.mark.parametrize("end", [b"\n", b"\r\n"], ids=["line feeds", "carriage returns"])
@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_kept_and_told(edit, end, tmp_path):
    text = FIXABLE.replace("NAME", "a").encode().replace(b"\n", end)
    ended = fixed(tmp_path, EDITS[edit], ("a.yaml", text))
    assert (tmp_path / "work" / "a.yaml").read_bytes() == (tmp_path / "saved").read_bytes() != text
    assert b"a.yaml: cannot be fixed: it has changed since it was read" in ended.stderr
    assert ended.returncode == 2
    assert sorted(path.name for path in (tmp_path / "work").iterdir()) == ["a.yaml", "i.yaml"]


def test_the_other_files_are_fixed(tmp_path):
    texts = [(f"{name}.yaml", FIXABLE.replace("NAME", name).encode()) for name in ("a", "b")]
    fixed(tmp_path, EDITS["a longer text"], *texts)
    assert (tmp_path / "work" / "a.yaml").read_bytes() == texts[0][1] + b"# mine\n"
    assert b"limits" in (tmp_path / "work" / "b.yaml").read_bytes()


@pytest.mark.parametrize("begin", [b"", b"\xef\xbb\xbf"], ids=["plain", "a byte-order mark"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_a_file_that_nobody_saves_is_fixed(begin, encoding, tmp_path):
    text = FIXABLE.replace("NAME", "a")
    data = begin + text.encode() if encoding == "utf-8" else b"\xff\xfe" + text.encode(encoding)
    ended = fixed(tmp_path, "text", ("a.yaml", data))
    assert b"cannot be fixed" not in ended.stderr
    assert (tmp_path / "work" / "a.yaml").read_bytes() != data, ended
