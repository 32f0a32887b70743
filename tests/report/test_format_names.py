"""One run in every format at once: what test_cli_formats.py does not follow, the counts, and no findings at all."""

from __future__ import annotations

import html
import json
import re
import xml.etree.ElementTree as ET

import pytest
from command_line import ROOT, TRACKER, kubelint

from kubelint_gpu.report.format_names import FORMATS

NAMES = sorted(FORMATS)
TWO = ROOT / "examples" / "two-deployments"


def in_every_format(folder, *arguments):
    """The exit code, what was printed, and the reports by format."""
    paired = [part for name in NAMES for part in ("--output-format", name, "--output-file", folder / name)]
    ran = kubelint("check", *arguments, *paired)
    return ran, {name: (folder / name).read_text(encoding="utf-8") for name in NAMES}


@pytest.fixture(scope="module")
def one(tmp_path_factory):
    folder = tmp_path_factory.mktemp("one")
    manifest, nodes = (TRACKER / name for name in ("tracker.yaml", "nodes.yaml"))
    ran, reports = in_every_format(
        folder, manifest.relative_to(ROOT), "-i", nodes.relative_to(ROOT), "--select", "KLG101"
    )
    assert (ran.code, ran.out) == (1, "")
    (finding,) = json.loads(reports["json"])["findings"]
    return finding, reports


def test_sarif_has_the_finding_and_the_page_of_its_rule(one):
    finding, reports = one
    (run,) = json.loads(reports["sarif"])["runs"]
    (rule,) = run["tool"]["driver"]["rules"]
    (result,) = run["results"]
    assert (rule["id"], result["ruleId"], result["ruleIndex"]) == (finding["code"], finding["code"], 0)
    assert rule["help"]["markdown"].startswith(f"# {finding['code']}")
    assert result["message"]["text"].splitlines()[0].endswith(f": {finding['message']}.")


def test_markdown_has_the_finding(one):
    finding, reports = one
    (row,) = [line for line in reports["markdown"].splitlines() if line.startswith("| ❌")]
    _, _, rule, message, where, name, _ = row.split("|")
    assert f"[{finding['code']}](" in rule
    assert message.strip() == finding["message"]
    assert where.strip() == f"<code>{finding['path']}:{finding['line']}</code>"
    assert name.strip() == "Deployment vision/object-tracker"


def test_the_page_has_the_finding(one):
    finding, reports = one
    (article,) = re.findall(r"<article.*?</article>", reports["html"], re.DOTALL)
    plain = html.unescape(re.sub("<[^>]*>", "", article))
    assert f">{finding['code']}</a> {finding['name']}" in article
    assert finding["message"][1:] in plain
    assert f"<code>{finding['path']}:{finding['line']}:{finding['column']}</code>" in article
    assert f'data-fingerprint="{finding["fingerprint"]}"' in article
    steps = re.findall(r'<span class="actor">(.*?)</span> <span class="what">(.*?)</span>', article)
    told = [(html.unescape(actor), html.unescape(what)) for actor, what in steps]
    assert told == [(step["actor"], step["message"]) for step in finding["trace"] if step["actor"] != "cycle"]


@pytest.mark.parametrize("example", [TRACKER / "tracker.yaml", TWO / "manifest.yaml"])
def test_every_format_counts_the_same(example, tmp_path):
    inventory = next(path for path in example.parent.iterdir() if path.name in ("nodes.yaml", "inventory.yaml"))
    _, reports = in_every_format(tmp_path, example, "-i", inventory)
    report = json.loads(reports["json"])
    count = len(report["findings"])
    assert count == sum(report["summary"][kind] for kind in ("errors", "warnings", "notes")) > 0
    counted = {
        "text": len(re.findall(r"^(?:error|warning|note)\[", reports["text"], re.MULTILINE)),
        "concise": sum(bool(re.search(r": (error|warning|note)\[", line)) for line in reports["concise"].splitlines()),
        "sarif": len(json.loads(reports["sarif"])["runs"][0]["results"]),
        "gitlab": len(json.loads(reports["gitlab"])),
        "github": len(reports["github"].splitlines()),
        "junit": len(list(ET.fromstring(reports["junit"]).iter("testcase"))),  # noqa: S314 our own output
        "markdown": sum(line.startswith(("| ❌", "| ⚠️", "| 💡")) for line in reports["markdown"].splitlines()),
        "html": reports["html"].count("<article"),
        "json": count,
    }
    # the text has notes only if nothing is worse
    worse = report["summary"]["errors"] + report["summary"]["warnings"]
    assert counted == {**dict.fromkeys(NAMES, count), "text": worse or count}


def test_a_run_without_findings_gives_valid_files(tmp_path):
    ran, reports = in_every_format(tmp_path, TWO / "fixed.yaml", "-i", TWO / "inventory.yaml")
    assert (ran.code, ran.out, ran.err) == (0, "", "")
    assert json.loads(reports["json"])["findings"] == []
    (run,) = json.loads(reports["sarif"])["runs"]
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert len(reports["sarif"]) < 1_500
    assert json.loads(reports["gitlab"]) == []
    assert reports["github"] == ""
    suite = ET.fromstring(reports["junit"])  # noqa: S314 our own output
    assert (suite.get("tests"), suite.get("failures")) == ("1", "0")
    assert reports["markdown"].count("\n") == 1
    assert "all is well" in reports["markdown"]
    assert "All clear</h1>" in reports["html"]
    assert reports["html"].endswith("</html>\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_terminal_that_shows_only_ascii_does_not_matter(name, tmp_path):
    """Text is written in ASCII there; what programs read stays UTF-8."""
    manifest = tmp_path / "名前.yaml"
    manifest.write_bytes((TRACKER / "tracker.yaml").read_bytes())
    env = {"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    ran = kubelint("check", manifest, "-i", TRACKER / "nodes.yaml", "--output-format", name, env=env)
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.isascii() == (name == "text")


@pytest.mark.parametrize("given", ["nothing else", "findings"])
def test_a_run_that_failed_is_green_nowhere(given, tmp_path):
    manifest = TRACKER / ("fixed.yaml" if given == "nothing else" else "tracker.yaml")
    chosen = ["--ignore", "KLG"] if given == "nothing else" else ["--select", "KLG101"]
    ran, reports = in_every_format(tmp_path, manifest, "nope.yaml", "-i", TRACKER / "nodes.yaml", *chosen)
    count = 0 if given == "nothing else" else 1
    told = "something that was to be checked could not be read or rendered"
    assert ran.code == 2
    assert f"the run failed: {told}" in ran.err
    assert json.loads(reports["json"])["failed"] == told
    assert f"The run failed: {told}" in re.sub(r"\s+", " ", reports["text"])
    (run,) = json.loads(reports["sarif"])["runs"]
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], len(run["results"])) == (False, count)
    assert told in invocation["toolExecutionNotifications"][0]["message"]["text"]
    issue, *issues = json.loads(reports["gitlab"])
    assert (issue["severity"], issue["check_name"], len(issues)) == ("blocker", "run-failed", count)
    assert issue["description"] == f"the run failed: {told}"
    assert issue["location"]["path"]
    assert len(issue["fingerprint"]) == 32
    annotation, *annotations = reports["github"].splitlines()
    assert (annotation, len(annotations)) == (f"::error title=kubelint-gpu::the run failed: {told}", count)
    suites = ET.fromstring(reports["junit"])  # noqa: S314 our own output
    assert (suites.get("errors"), suites.get("failures")) == ("1", str(count))
    assert [error.get("message") for error in suites.iter("error")] == [f"the run failed: {told}"]
    assert f"the run failed: {told}" in reports["markdown"]
    assert "The check could not be completed</h1>" in reports["html"]
    assert told[1:] in reports["html"]
