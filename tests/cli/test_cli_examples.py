"""What the folders of examples/ show is what the program prints, and their fixed versions are clean."""

from __future__ import annotations

import gc
import re
import shlex

import pytest
from command_line import ROOT, beside_examples

from kubelint_gpu.cli.main import invoke

CODES = {
    "anti-affinity-on-every-node": "KLG103",
    "daemon-set-surge": "KLG110",
    "evicted-neighbour": "KLG108",
    "growing-pool": "KLG114",
    "host-port": "KLG102",
    "quota": "KLG105",
    "read-write-once-pod": "KLG104",
    "stateful-set-trap": "KLG111",
    "topology-spread": "KLG103",
    "tracker": "KLG101",
    "training-jobs": "KLG113",
    "two-deployments": "KLG106",
}

NOTES = {"growing-pool"}

EXAMPLES = [ROOT / "examples" / name for name in CODES]

every_example = pytest.mark.parametrize("folder", EXAMPLES, ids=lambda folder: folder.name)


@pytest.fixture
def run(monkeypatch, capsys):
    """The command in this process, where the examples are and nothing else, 100 columns wide."""
    monkeypatch.chdir(beside_examples())
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    # a run that ends with its process collects no garbage; this one goes on
    monkeypatch.setattr(gc, "disable", lambda: None)

    def ran(*arguments):
        code = invoke(arguments)
        return code, capsys.readouterr().out

    return ran


def command(folder):
    found = re.search(r"```sh\nkubelint-gpu (.*)\n```", (folder / "README.md").read_text())
    assert found is not None, folder
    return shlex.split(found[1])


def test_the_index_names_every_example():
    folders = {path.parent.name for path in (ROOT / "examples").glob("*/output.txt")}
    index = (ROOT / "examples" / "README.md").read_text()
    assert folders == set(CODES)
    assert set(re.findall(r"\]\(([a-z-]+)/README\.md\)", index)) == folders


@every_example
def test_an_example_is_told_in_three_sentences(folder):
    text = (folder / "README.md").read_text().split("\n\n")[1]
    assert len(re.findall(r"[.!?](?=\s|$)", text)) == 3


@every_example
def test_an_example_prints_what_its_folder_says(folder, run, request):
    path = folder / "output.txt"
    code, out = run(*command(folder))
    if request.config.getoption("--update"):
        path.write_text(out)
    assert out == path.read_text()
    assert code == (0 if folder.name in NOTES else 1)


@every_example
def test_an_example_is_about_one_rule(folder, run):
    _, out = run(*command(folder), "--select", "KLG1")
    found = re.findall(r"^(?:error|warning|note)\[(KLG\d+)\]: (?:[^:]*(the next rollout))?", out, re.MULTILINE)
    assert [code for code, later in found if not later] == [CODES[folder.name]]


@every_example
def test_the_fixed_version_is_clean(folder, run):
    arguments = command(folder)
    code, out = run(arguments[0], str((folder / "fixed.yaml").relative_to(ROOT)), *arguments[2:])
    assert (code, "all is well" in out) == (0, True), out
