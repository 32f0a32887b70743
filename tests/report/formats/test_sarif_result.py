"""SARIF as others read it: sarif-tools, and Microsoft's multitool."""

from __future__ import annotations

import json
import re

import pytest
from outside import ask
from report_samples import DEADLOCK, REPORTS, odd, report

from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.sarif import render

MANY = report(*[odd(1 + number, 1, 2, path=f"{number % 7}.yaml") for number in range(300)], DEADLOCK)
LOGS = {"several": REPORTS["several"], "nothing": report(), "many": MANY}

every_log = pytest.mark.parametrize("name", sorted(LOGS))


@pytest.fixture
def log(tmp_path, name):
    path = tmp_path / "log.sarif"
    path.write_text("".join(render(LOGS[name], Options())), encoding="utf-8")
    return path


def severities(found):
    return sorted((finding.code, finding.severity) for finding in found.findings)


@every_log
def test_sarif_tools_counts_what_was_found(name, log, request):
    asked = ask(
        "sarif",
        ["summary", log.name],
        cwd=log.parent,
        about=log.read_bytes(),
        recording=f"sarif-tools-summary-{name}",
        update=request.config.getoption("--update"),
    )
    assert asked.code == 0, asked.err
    counts = {
        kind: int(number) for kind, number in re.findall(r"^(error|warning|note): (\d+)$", asked.out, re.MULTILINE)
    }
    found = [severity for _, severity in severities(LOGS[name])]
    assert counts == {kind: found.count(kind) for kind in ("error", "warning", "note")}


@every_log
def test_the_multitool_counts_what_was_found(name, log, request):
    counted = {}
    for severity in ("Error", "Warning", "Note"):
        asked = multitool(
            ["query", log.name, "--expression", f"Level == '{severity}'"], log, f"query-{severity}-{name}", request
        )
        match = re.search(r"Found (\d+) of (\d+) results", asked.out)
        counted[severity.lower()] = int(match[1])
        assert int(match[2]) == len(LOGS[name].findings)
    found = [severity for _, severity in severities(LOGS[name])]
    assert counted == {kind: found.count(kind) for kind in ("error", "warning", "note")}


@every_log
def test_the_multitool_finds_nothing_to_complain_of(name, log, request):
    asked = multitool(["validate", log.name, "--rule-kind", "Sarif;Ghas"], log, f"validate-{name}", request)
    assert complaints(asked) == []


@pytest.mark.parametrize("name", ["several"])
def test_the_multitool_would_have_complained(name, log, request):
    broken = json.loads(log.read_text(encoding="utf-8"))
    broken["runs"][0]["results"][0]["ruleIndex"] = 999
    log.write_text(json.dumps(broken), encoding="utf-8")
    asked = multitool(["validate", log.name, "--rule-kind", "Sarif;Ghas"], log, f"validate-broken-{name}", request)
    assert complaints(asked) == ["SARIF1009"]


def multitool(arguments, log, recording, request):
    asked = ask(
        "Sarif.Multitool",
        arguments,
        cwd=log.parent,
        about=log.read_bytes(),
        recording=f"sarif-multitool-{recording.lower()}",
        update=request.config.getoption("--update"),
        clean=lambda text: re.sub(r"\S*/(?=log\.sarif)| in [\d.]+s", "", text),
    )
    assert "Unhandled" not in asked.out + asked.err
    return asked


def complaints(asked):
    """Its exit code is 0 on broken files too, so what it prints is read."""
    assert "Analysis completed successfully" in asked.out
    return re.findall(r": (?:error|warning|note) (\w+):", asked.out)
