"""No text of a file or of its name becomes a command of a CI runner, or turns a line of any output around."""

from __future__ import annotations

import json
import re

import pytest
from hostile_files import INVENTORY, git
from limited import run

FORMATS = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
ENDS = ("\n", "\r", "\v", "\f", "\x1c", "\x85", "\u2028", "\u2029")
COMMANDS = ("::error::x", "  ::set-env name=A::b", "\t::add-mask::x", "##[add-mask]x", " ##vso[task.x]y")
TURNING = (
    "\u202a",
    "\u202e",
    "\u2066",
    "\u2069",
    "\u200e",
    "\u200f",
    "\u061c",
    "\u2028",
    "\u2029",
    "\ufeff",
    "\x85",
    "\x1b[2J",
)
LONG = "word " * 14
ALL = " ".join([*(f"{LONG}{one}" for one in COMMANDS), *(f"a{end}{one}" for end in ENDS for one in COMMANDS), *TURNING])
WORKLOAD = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: a
  labels: {x: TEXT}
spec:
  replicas: 1
  strategy: TEXT
  selector: {matchLabels: {app: a}}
  template:
    metadata: {labels: {app: a}}
    spec:
      nodeSelector: {kubernetes.io/hostname: TEXT, TEXT: TEXT}
      priorityClassName: TEXT
      schedulerName: TEXT
      tolerations:
      - key: TEXT
        value: TEXT
      # SIGN comment
      containers:
      - name: TEXT
        image: TEXT
        resources: {requests: {nvidia.com/gpu: 1}, limits: {TEXT: 1}}
"""
FIXABLE = """\
apiVersion: apps/v1
kind: Deployment
metadata: {name: b}
spec:
  replicas: 1
  selector: {matchLabels: {app: b}}
  template:
    metadata: {labels: {app: b}}
    spec:
      containers:
      - name: a
        image: a
        args:
        - |
          SIGN
          ##[add-mask]x
          \u2066\u0085          SIGN
        # \u202e SIGN\t \u2066
        resources: {requests: {nvidia.com/gpu: 1}}
"""
NAMES = (
    "::error::a.yaml",
    "##[add-mask]b.yaml",
    " ::warning::c.yaml",
    "a\n::error::d.yaml",
    "a\r::e.yaml",
    "a\u202ef.yaml",
    "g\u2028::g.yaml",
)


@pytest.fixture
def folder(tmp_path):
    for number, name in enumerate(NAMES):
        text = (FIXABLE if number % 2 else WORKLOAD).replace("TEXT", json.dumps(ALL))
        (tmp_path / name).write_text(text.replace("SIGN", "::error::x"))
    pool = {"name": ALL, "count": 1, "template": {"labels": {"x": ALL}}}
    nodes = [{"name": "n", "labels": {ALL: ALL}, "taints": [{"key": ALL, "effect": ALL}]}, {"name": ALL}]
    inventory = {"apiVersion": "kubelint-gpu/v1", "kind": "ClusterInventory", "nodes": nodes, "pools": [pool]}
    (tmp_path / "::inventory").write_text(json.dumps({**inventory, "metadata": {"name": ALL}}))
    (tmp_path / "valid ::i").write_text(INVENTORY)
    (tmp_path / "::valid").write_text(INVENTORY)
    return tmp_path


def is_harmless(output, *, commands=False):
    """Whether no line of an output begins like a command, and none is turned around."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", output.decode("utf-8", "surrogateescape"))
    assert not re.search(r"##\w*\[", text), re.findall(r".*##\w*\[.*", text)[:3]
    for char in (*TURNING[:-1], "\x1b", "\v", "\f", "\x1c"):
        assert char not in text, repr(char)
    assert "\r" not in text.replace("\r\n", "\n")
    if not commands:
        begun = [line for line in text.splitlines() if line.lstrip().startswith("::")]
        assert not begun, begun[:3]


def files(folder):
    return [f"./{path.name}" if path.name[0] == " " else path.name for path in sorted(folder.glob("*.yaml"))]


MORE = ((), ("-i", "valid ::i"), ("-i", "::inventory"), ("--color", "always", "-i", "valid ::i"))


def printed(folder, form, *more, columns=80):
    """What a run prints in a format, which is harmless."""
    arguments = ("check", "--output-format", form, *more, "--", *files(folder))
    ended = run(*arguments, cwd=folder, environment={"COLUMNS": str(columns)})
    is_harmless(ended.stdout, commands=form == "github")
    is_harmless(ended.stderr)
    assert b"internal error" not in ended.stderr
    return ended.stdout


@pytest.mark.parametrize("form", FORMATS)
def test_every_format(form, folder):
    for more in MORE:
        out = printed(folder, form, *more)
    if form == "github":
        lines = out.decode().split("\n")
        assert all(re.match(r"::(error|warning|notice) |$", line) for line in lines)


@pytest.mark.parametrize("columns", [40, 160])
def test_every_width(columns, folder):
    """The other formats do not ask for the width."""
    for form in ("text", "concise"):
        for more in MORE[1:3]:
            printed(folder, form, *more, columns=columns)


def test_every_file(folder):
    places = [part for form in FORMATS for part in ("--output-format", form, "--output-file", f"{form}-report")]
    run("check", *places, "--", *files(folder), cwd=folder)
    for form in FORMATS:
        is_harmless((folder / f"{form}-report").read_bytes(), commands=form == "github")


RUNS = {
    "a diff": ("check", "--diff", "--unsafe-fixes", "-i", "valid ::i", "FILES"),
    "a fix": ("check", "--fix", "--unsafe-fixes", "-i", "valid ::i", "FILES"),
    "statistics": ("check", "--statistics", "FILES"),
    "settings": ("check", "--show-settings", "--select", "KLG1", "--stdin-filename", ALL, "FILES"),
    "an explanation": ("explain", "Deployment/b", "-i", "valid ::i", "##[add-mask]b.yaml"),
    "an explanation as JSON": (
        "explain",
        "Deployment/b",
        "-i",
        "valid ::i",
        "--output-format",
        "json",
        "##[add-mask]b.yaml",
    ),
    "no explanation": ("explain", f"Deployment/{COMMANDS[0]}", "-i", "valid ::i", "FILES"),
    "no rule": ("explain", "\n::error::x ##[a]"),
    "a table": ("inventory", "show", "::inventory"),
    "a table of a valid one": ("inventory", "show", "::valid"),
    "a table as JSON": ("inventory", "show", "--output-format", "json", "::inventory"),
    "an inventory": ("inventory", "validate", "::inventory"),
    "a valid inventory": ("inventory", "validate", "::valid"),
    "no revision": ("check", "--against", "\n::error::x\u202e", "FILES"),
    "no file": ("check", "\n::error::x", "::y", "\u2028##[z]"),
    "no configuration": ("check", "--config", "a\n::error::x", "FILES"),
    "no baseline": ("check", "--baseline", "a\n::error::x", "FILES"),
    "a baseline that is none": ("check", "--baseline", "::error::a.yaml", "FILES"),
    "a report that is none": ("report", "merge", "::error::a.yaml", "::valid"),
    "no command": ("\n::error::x",),
    "no option": ("check", "--x\n::error::x"),
    "no choice": ("check", "--output-format", "a\n::error::x"),
    "no rule to select": ("check", "--select", "a\r::error::x", "FILES"),
    "no node": ("check", "--without-node", "a\n::error::x", "-i", "::valid", "FILES"),
    "no program": ("check", "--kustomize", "a\n::error::x", "."),
    "a folder that is no repository": ("check", "--hook", "."),
}


@pytest.mark.parametrize("case", RUNS)
def test_every_command(case, folder):
    arguments = [part for one in RUNS[case] for part in ([*files(folder)] if one == "FILES" else [one])]
    (folder / "kustomization.yaml").write_text(f"resources: [{json.dumps(ALL)}]\n")
    for environment in ({"COLUMNS": "50"}, {"COLUMNS": "50", "PYTHONIOENCODING": "ascii"}):
        ended = run(*arguments, cwd=folder, environment=environment)
        is_harmless(ended.stdout)
        is_harmless(ended.stderr)
        assert b"internal error" not in ended.stderr, ended.stderr


def test_the_lines_of_a_diff_are_among_them(folder):
    shown = run(*RUNS["a diff"][:-1], "--", *files(folder), cwd=folder).stdout.decode()
    assert "\n           \\u2066\\x85          ::error::x\n" in shown
    assert "\n         # \\u202e ::error::x\t \\u2066\n" in shown
    assert "\n+++ \\x3a:" not in shown


def test_a_diff_of_ordinary_lines_can_still_be_applied(tmp_path):
    text = FIXABLE.replace("SIGN", "x").replace("##[add-mask]x", "\tx")
    for char in ("\u202e", "\u2066", "\u0085          "):
        text = text.replace(char, "")
    for name, data in (("a.yaml", text), ("b.yaml", text.replace("name: b", "name: c").replace("\n", "\r\n"))):
        (tmp_path / name).write_bytes(data.encode())
    (tmp_path / "i.yaml").write_text(INVENTORY)
    git(tmp_path, "init", "-q")
    made = run("check", "--diff", "--unsafe-fixes", "-i", "i.yaml", "a.yaml", "b.yaml", cwd=tmp_path).stdout
    assert made.count(b"+++ ") == 2
    git(tmp_path, "apply", "-p0", "-", input=made)
    run("check", "--fix", "--unsafe-fixes", "-i", "i.yaml", "a.yaml", "b.yaml", cwd=tmp_path)
    assert run("check", "--diff", "--unsafe-fixes", "-i", "i.yaml", "a.yaml", "b.yaml", cwd=tmp_path).stdout == b""
