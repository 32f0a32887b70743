"""Programs that the tests use and a user may lack: run where they are, else what they answered is replayed.

A recording says what was asked: it answers no other question.
In CI a program that is missing is a failure; `.ci/tools` installs all of them.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

RECORDED = Path(__file__).parent / "recorded"
BESIDE = Path(sys.executable).parent
SEARCHED = f"{BESIDE}{os.pathsep}{os.environ.get('PATH', '')}"
REPLAYED: set[str] = set()
"""The programs whose answers were replayed in this run; the summary of the run names them."""


@dataclass(frozen=True)
class Answer:
    code: int
    out: str
    err: str = ""


def program(name):
    """Where a program is: beside this Python first; None where it is not.

    In CI its absence fails the test.
    """
    found = shutil.which(name, path=SEARCHED)
    if found is None and os.environ.get("CI"):
        pytest.fail(f"{name} is not installed: run .ci/tools")
    return found


def ask(name, arguments, *, cwd, about, recording, update, clean=lambda text: text, late=()):
    """What a program answers about some bytes; replayed from `recording` where it is not installed.

    `about` is everything that the answer depends on; a recording of another question fails the test.
    `late` are arguments that differ from run to run, such as folders, and no part of the question.
    `clean` takes from the output what differs from run to run.
    """
    path = RECORDED / f"{recording}.json"
    question = hashlib.sha256(about + b"\0".join(str(one).encode() for one in arguments)).hexdigest()
    found = program(name)
    if found is None:
        return replay(name, path, question)
    if not update:
        held(name, path, question)
    ran = subprocess.run(
        [found, *map(str, arguments), *map(str, late)],
        cwd=cwd,
        # uv looks past the certificates of the system unless it is told
        env=os.environ | {"PATH": SEARCHED, "UV_SYSTEM_CERTS": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=600,
    )
    answer = Answer(ran.returncode, clean(ran.stdout.decode()), clean(ran.stderr.decode()))
    if update:
        path.parent.mkdir(exist_ok=True)
        record = {"program": name, "question": question, "code": answer.code, "out": answer.out, "err": answer.err}
        path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return answer


def held(name, path, question):
    """The recording of an answer, which must be one to this question; looked at where the program is installed, too."""
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["question"] == question, (
        f"{path.name} answers another question: install {name} (.ci/tools does) and run the tests with --update"
    )
    return record


def replay(name, path, question):
    REPLAYED.add(name)
    record = held(name, path, question)
    return Answer(record["code"], record["out"], record["err"])


def summary_line():
    """What the end of a test run says of replayed programs; empty if there were none."""
    return f"not installed, so their recorded answers were replayed: {', '.join(sorted(REPLAYED))}" if REPLAYED else ""
