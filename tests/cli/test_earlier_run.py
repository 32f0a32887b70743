"""A run about the same bytes as an earlier one says what that said; nothing is parsed, and nothing judged."""

from __future__ import annotations

import os
import subprocess
import sys
import zlib
from binascii import b2a_base64

import pytest
from click.testing import CliRunner

from kubelint_gpu.cli.earlier_run import keep, recall
from kubelint_gpu.cli.main import main

BROKEN = """apiVersion: apps/v1
kind: Deployment
metadata: {name: a}
spec:
  replicas: 2
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: b}}
    spec: {containers: [{name: a, image: "example.com/a:1"}]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBELINT_GPU_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    (work / "a.yaml").write_text(BROKEN)
    return work


@pytest.fixture
def judged():
    """The calls that were judged."""
    yield from _called("judged", "judging.py")


@pytest.fixture
def asked():
    """The processes of git that were started."""
    yield from _called("_run", "sources/git.py")


def _called(name, file):
    calls = []

    def seen(frame, event, _):
        if event == "call" and frame.f_code.co_name == name and frame.f_code.co_filename.endswith(file):
            calls.append(frame)

    sys.setprofile(seen)
    yield calls
    sys.setprofile(None)


def check(*arguments):
    ran = CliRunner().invoke(main, ["check", *map(str, arguments)], standalone_mode=False)
    assert ran.exception is None, ran.exception
    return ran.return_value, ran.stdout, ran.stderr


@pytest.mark.parametrize("name", ["text", "concise", "sarif", "github", "gitlab", "markdown"])
@pytest.mark.usefixtures("folder")
def test_the_second_run_writes_what_the_first_has_written(judged, name):
    first = check(".", "--output-format", name)
    assert first[0] == 1
    assert check(".", "--output-format", name) == first
    assert len(judged) == 1
    assert check(".", "--output-format", name, "--no-cache") == first


def test_what_was_left_out_is_told_again(folder, judged):
    (folder / "b.yaml").symlink_to("nowhere.yaml")
    first = check(".")
    assert "b.yaml" in first[2]
    assert check(".") == first
    assert len(judged) == 1


@pytest.mark.parametrize(
    "options",
    [
        ("--output-format", "json"),
        ("--output-format", "sarif", "--output-file", "../out.sarif"),
        ("--diff",),
        ("--statistics",),
        ("--write-baseline", "../known.json"),
        ("--against", "path:a.yaml"),
    ],
)
@pytest.mark.usefixtures("folder")
def test_runs_that_read_or_write_more_are_made_anew(judged, options):
    check(".", *options)
    check(".", *options)
    assert len(judged) == 2


def test_a_baseline_of_the_configuration_is_looked_at_in_every_run(folder):
    check(".", "--write-baseline", "known.json")
    (folder / ".kubelint-gpu.yaml").write_text("baseline: known.json\n")
    assert check(".")[0] == 0
    (folder / "known.json").write_text('{"version": 1, "findings": []}\n')
    assert check(".")[0] == 1


@pytest.mark.usefixtures("folder")
def test_another_folder_is_another_run(judged, monkeypatch, tmp_path):
    check("a.yaml")
    other = tmp_path / "other"
    other.mkdir()
    (other / "a.yaml").write_text(BROKEN)
    monkeypatch.chdir(other)
    check("a.yaml")
    assert len(judged) == 2


def git(*arguments):
    subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", *arguments], check=True)


def test_a_hook_sees_what_the_commit_holds_and_what_there_was(folder, judged):
    git("init", "-q")
    git("add", "a.yaml")
    git("commit", "-qm", "x")
    (folder / "a.yaml").write_text(BROKEN.replace("replicas: 2", "replicas: 3"))
    first = check("a.yaml", "--hook")
    assert check("a.yaml", "--hook") == first
    assert len(judged) == 1
    git("commit", "-qam", "x")
    assert check("a.yaml", "--hook") == check("a.yaml", "--hook", "--no-cache")
    assert len(judged) == 3


def test_a_file_that_is_sent_to_another_cluster_is_another_run(folder, judged):
    (folder / "apps").mkdir()
    (folder / "a.yaml").rename(folder / "apps" / "a.yaml")
    git("init", "-q")
    for name in ("eu", "us"):
        spec = f"{{source: {{repoURL: u, path: apps}}, destination: {{name: {name}}}}}"
        text = f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: a}}\nspec: {spec}\n"
        (folder / "cd.yaml").write_text(text)
        assert check("apps/a.yaml") == check("apps/a.yaml")
    assert len(judged) == 2


def test_a_known_hook_asks_git_what_is_tracked_what_is_staged_and_what_decides(folder, asked):
    git("init", "-q")
    git("add", "a.yaml")
    git("commit", "-qm", "x")
    (folder / "a.yaml").write_text(BROKEN.replace("replicas: 2", "replicas: 3"))
    git("add", "a.yaml")
    first = check("a.yaml", "--hook")
    asked.clear()
    assert check("a.yaml", "--hook") == first
    assert len(asked) == 4


def test_a_hook_sees_a_deleted_file_come_back(folder, judged):
    (folder / "b.yaml").write_text(BROKEN.replace("name: a", "name: b"))
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    (folder / "b.yaml").unlink()
    check("a.yaml", "--hook")
    (folder / "b.yaml").write_text("\n")
    assert check("a.yaml", "--hook") == check("a.yaml", "--hook", "--no-cache")
    assert len(judged) == 3


@pytest.mark.usefixtures("folder")
def test_what_a_known_run_needs_is_little():
    script = "import sys; from kubelint_gpu.cli.main import invoke; invoke(['check', 'a.yaml']); print(*sys.modules)"
    loaded = [
        subprocess.run(
            [sys.executable, "-c", script], env=os.environ, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    for name in ("engine.run", "kube.objects.pod", "simulation", "scheduler", "inventory"):
        assert f"kubelint_gpu.{name}" in loaded[0]
        assert f"kubelint_gpu.{name}" not in loaded[1]


class Texts(dict):
    """A store of texts."""

    def put(self, key, text):
        self[key] = text.encode("ascii")


def test_what_is_kept_is_recalled():
    store = Texts()
    keep(store, "k", 1, "a\nü\n")
    assert recall(store, "k") == (1, "a\nü\n")
    assert recall(store, "other") is None


@pytest.mark.parametrize(
    "text", [b"", b"!", b2a_base64(b"x"), b2a_base64(zlib.compress(b"x\ny")), b2a_base64(zlib.compress(b"1\n\xff"))]
)
def test_what_is_no_kept_run_is_none(text):
    assert recall({"k": text}, "k") is None


def test_what_would_unfold_to_more_than_a_run_says_is_none():
    text = b2a_base64(zlib.compress(b"0\n" + b"x" * 20_000_000))
    assert recall({"k": text}, "k") is None


def test_what_no_encoding_takes_is_not_kept():
    store = Texts()
    keep(store, "k", 0, "\ud800")
    assert store == {}
