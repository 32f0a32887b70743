"""What `check` and `explain` answer about all examples and many random clusters is what is recorded, finding by finding.

A step that is to change nothing leaves these files as they are: `rules.json`, `examples.json` and `random.json` hold of each
answer a digest of its JSON and a line for each finding. In such a line texts and numbers are written out; of lists it has a digest.
Version, seconds and the rows behind verdicts are left out. `pytest tests/snapshot --update` records anew; the difference is read in the review.
"""

from __future__ import annotations

import difflib
import hashlib
import io
import json
import os
import shutil
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from cases import HEAVY, LEFT_OUT, ROOT, Case, groups

from kubelint_gpu.cli.main import invoke

HERE = Path(__file__).parent
GROUPS = groups()
LONG = f"{HEAVY[0]}-{HEAVY[-1]}"
TESTS = [
    pytest.param(file, name, id=f"{file}-{name}", marks=pytest.mark.thorough if name == LONG else ())
    for file, tests in GROUPS.items()
    for name in tests
]
FIRST = ("code", "severity", "certainty", "object", "path", "line", "column", "message")
"""What a line about a finding begins with."""
DERIVED = ("name", "endLine", "endColumn", "fingerprint", "version")
"""What is told by the rest; the digest of the answer holds all of it but the version."""
MOST_LINES = 60


def digest(value, length):
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()[:length]


def line(values, first=FIRST):
    """One line of an answer: what it begins with, then the other texts and numbers, and of lists a digest."""
    found = [str(values[key]) for key in first if key in values]
    inner = {
        f"{key}.{name}": one for key, value in values.items() if isinstance(value, dict) for name, one in value.items()
    }
    for key, value in (*values.items(), *inner.items()):
        if key in (*first, *DERIVED, "objects") or value in (None, [], "now") or isinstance(value, dict):
            continue
        found.append(f"{key}={digest(value, 6) if isinstance(value, list) else value}")
    return " ".join(found)


def facts(code, answer):
    """The lines of an answer."""
    parts = answer.pop("findings", None) or answer.pop("situations", None) or []
    rest = {**answer.pop("summary", {}), **answer}
    return [f"exit {code} {line(rest, ())}", *map(line, parts)]


def ask(arguments):
    """What a command answers; a run that fails prints no JSON."""
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = invoke([*arguments, "--output-format", "json"])
    try:
        answer = json.loads(out.getvalue())
    except ValueError:
        return [f"exit {code} without JSON: {err.getvalue().strip()}"]
    answer.pop("version")
    answer.pop("decided", None)
    answer.get("summary", {}).pop("seconds", None)
    return [digest(answer, 12), *facts(code, answer)]


def answers(case: Case, folder):
    for name, text in case.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    if case.folder is not None:
        # outside the repository: its other examples declare classes, too
        shutil.copytree(case.folder, folder / case.place, dirs_exist_ok=True)
    os.chdir(folder)
    return {name: ask(arguments) for name, arguments in case.commands.items()}


def differences(recorded, found):
    """The lines that are told where two records differ: only those of findings that are not the same."""
    for name in sorted({*recorded, *found}):
        before, after = recorded.get(name, {}), found.get(name, {})
        for command in sorted({*before, *after}):
            old, new = before.get(command, []), after.get(command, [])
            if old != new:
                changed = [one for one in difflib.ndiff(old[1:], new[1:]) if one[0] in "+-"]
                yield f"{name}: {command}"
                yield from (f"  {one}" for one in changed or ["  the same lines, and another digest"])


def recorded(file):
    path = HERE / f"{file}.json"
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def record(file, name, found):
    """Write the answers of one test; each line of a finding is one line of the file."""
    kept = {other: old for other, old in recorded(file).items() if other in GROUPS[file]} | {name: found}
    text = json.dumps(dict(sorted(kept.items())), indent=0, ensure_ascii=False)
    (HERE / f"{file}.json").write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def here(monkeypatch):
    """The tests change the folder of the process."""
    monkeypatch.chdir(ROOT)
    monkeypatch.delenv("FORCE_COLOR", raising=False)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("file", "name"), TESTS)
def test_the_answers_are_the_recorded_ones(file, name, tmp_path, request):
    cases = GROUPS[file][name]()
    assert cases or name in LEFT_OUT
    found = {}
    for number, case in enumerate(cases):
        folder = tmp_path / str(number)
        folder.mkdir()
        found[case.name] = answers(case, folder)
    if request.config.getoption("--update"):
        assert "PYTEST_XDIST_WORKER" not in os.environ, "two processes cannot write one file: leave out -n"
        record(file, name, found)
    told = list(differences(recorded(file).get(name, {}), found))
    more = f"\nand {len(told) - MOST_LINES} more lines" if len(told) > MOST_LINES else ""
    assert not told, "\n" + "\n".join(told[:MOST_LINES]) + more


@pytest.mark.parametrize("file", GROUPS)
def test_nothing_is_recorded_that_is_asked_no_more(file):
    assert list(recorded(file)) == sorted(GROUPS[file])


def test_the_random_clusters_hold_what_a_snapshot_is_for():
    cases = [case for tests in recorded("random").values() for case in tests.values()]
    lines = [line for case in cases for answer in case.values() for line in answer]
    codes = {line[:6] for line in lines if line.startswith("KLG")}
    assert {f"KLG{number}" for number in range(101, 112)} <= codes
    assert len(codes) > 25
    assert not [line for line in lines if line.startswith("exit 2")]


def test_a_difference_is_told_finding_by_finding():
    old = {"a": {"check": ["0", "exit 1", "KLG101 error one", "KLG109 error two"]}, "b": {"check": ["1", "exit 0"]}}
    new = {"a": {"check": ["2", "exit 1", "KLG101 error one", "KLG109 warning two"]}, "b": {"check": ["3", "exit 0"]}}
    assert list(differences(old, new)) == [
        "a: check",
        "  - KLG109 error two",
        "  + KLG109 warning two",
        "b: check",
        "    the same lines, and another digest",
    ]
    assert list(differences(old, old)) == []
