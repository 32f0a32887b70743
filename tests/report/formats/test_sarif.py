from __future__ import annotations

import gzip
import json
import random
import re
from urllib.parse import unquote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from report_samples import DEADLOCK, MAY_STICK, PIN, REPORTS, odd, place, report, rule
from sarif_runs import VALIDATOR, run_of

from kubelint_gpu.findings.finding import Related, Step, Summary
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.sarif import render
from kubelint_gpu.report.formats.sarif_result import uri
from kubelint_gpu.values import replace

WILD = st.text(st.characters(), max_size=30)
LINK = re.compile(r"(?<!\\)\[((?:[^\\\[\]]|\\.)*)\]\((\d+)\)", re.DOTALL)


def walk(value):
    yield value
    for child in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(child)


def check_invariants(run):
    rules = run["tool"]["driver"]["rules"]
    assert run["columnKind"] == "unicodeCodePoints"
    assert [invocation["executionSuccessful"] for invocation in run["invocations"]] == [True]
    assert [entry["id"] for entry in rules] == sorted({entry["id"] for entry in rules})
    for entry in rules:
        assert entry["help"]["text"]
        assert entry["help"]["markdown"]
        assert len(entry["shortDescription"]["text"]) <= 1024
        assert len(entry["fullDescription"]["text"]) <= 1024
        assert len(entry["properties"]["tags"]) <= 10
        assert "security-severity" not in entry["properties"]
    assert len(run["results"]) <= 25_000
    ranks = [("error", "warning", "note").index(result["level"]) for result in run["results"]]
    assert ranks == sorted(ranks)
    for result in run["results"]:
        check_result(result, rules)
    for node in walk(run):
        if isinstance(node, dict) and "uriBaseId" in node:
            assert node["uriBaseId"] in run["originalUriBaseIds"]
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]*", node["uri"])
        if isinstance(node, dict) and "startLine" in node:
            assert 1 <= node["startLine"] <= node["endLine"]
            assert node["startLine"] < node["endLine"] or 1 <= node["startColumn"] <= node["endColumn"]


def check_result(result, rules):
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    assert result["kind"] == "fail"
    assert result["level"] in ("error", "warning", "note")
    related = [entry["id"] for entry in result.get("relatedLocations", [])]
    assert [int(number) for _, number in LINK.findall(result["message"]["text"])] == related
    assert re.search(r"(?<![{])(?:[{][{])*[{]\d+[}](?![}])", result["message"]["text"]) is None
    assert len(related) <= 100
    assert len(result.get("codeFlows", [])) <= 1
    for flow in result.get("codeFlows", []):
        assert len(flow["threadFlows"]) == 1
        assert len(flow["threadFlows"][0]["locations"]) <= 1_000
        steps = [step for thread in flow["threadFlows"] for step in thread["locations"]]
        assert [step["executionOrder"] for step in steps] == list(range(1, len(steps) + 1))
        assert {step["nestingLevel"] for step in steps} <= {0, 1}
        assert steps[-1]["importance"] == "essential"
        assert all("physicalLocation" in step["location"] for step in steps)


def test_every_report_is_valid_and_keeps_the_invariants(any_report):
    check_invariants(run_of(any_report))


def test_the_schema_refuses_what_is_wrong():
    log = json.loads("".join(render(REPORTS["tracker"], Options())))
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert not VALIDATOR.is_valid(log)


@settings(max_examples=30, deadline=None)
@given(WILD, WILD)
def test_any_text_gives_a_valid_log(message, path):
    found = odd(
        1,
        1,
        2,
        message,
        path,
        object=message,
        related=(Related(place(path, 1, 1, 2), message),),
        trace=(Step(1, path, message),),
        cycle=(message,),
        help=(message,),
    )
    check_invariants(run_of(report(found, sources={})))


def test_the_first_sentence_is_the_title_and_places_are_linked():
    result = run_of(report(DEADLOCK))["results"][0]
    lines = result["message"]["text"].split("\n")
    assert lines[0].startswith("the rollout of Deployment vision/object-tracker never ends: ")
    assert lines[0].endswith(".")
    assert "[tracker-node has 1 GPU](4)" in lines
    assert result["relatedLocations"][3]["physicalLocation"]["artifactLocation"]["uri"] == "cluster/nodes.yaml"


def test_the_wait_cycle_closes_the_trace_and_is_repeated_as_related_places():
    result = run_of(report(DEADLOCK))["results"][0]
    steps = result["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["importance"] for step in steps] == ["important"] * 4 + ["essential"] * 2
    assert [step["nestingLevel"] for step in steps] == [0, 0, 1, 0, 0, 0]
    assert [entry["message"]["text"] for entry in result["relatedLocations"][4:]] == list(DEADLOCK.cycle)


def test_brackets_and_braces_of_the_input_are_text():
    cycle = ("spec.containers[0] {0}",)
    found = odd(1, 1, 2, "see [here](http://evil) {0} {{ .Values }}", cycle=cycle)
    result = run_of(report(found, sources={}))["results"][0]
    assert result["message"]["text"].split("\n") == [
        "see \\[here\\](http://evil) {{0}} {{{{ .Values }}}}.",
        "[spec.containers\\[0\\] {{0}}](1)",
    ]


def test_a_fix_groups_its_edits_by_file_and_says_if_it_is_not_verified():
    first = DEADLOCK.fixes[0]
    edit = first.edits[0]
    edits = (
        replace(edit, place=place("b.yaml", 2, 1, 1)),
        replace(edit, place=place("a.yaml", 1, 1, 4)),
        replace(edit, place=place("b.yaml", 1, 1, 1)),
    )
    found = replace(DEADLOCK, fixes=(replace(first, title="change", verified=False, edits=edits),))
    fix = run_of(report(found))["results"][0]["fixes"][0]
    assert fix["description"]["text"] == "change (not verified)"
    changes = fix["artifactChanges"]
    assert [change["artifactLocation"]["uri"] for change in changes] == ["a.yaml", "b.yaml"]
    assert [entry["deletedRegion"]["startLine"] for entry in changes[1]["replacements"]] == [1, 2]


def test_a_fix_without_edits_is_not_written():
    found = replace(DEADLOCK, fixes=(replace(DEADLOCK.fixes[0], edits=()),))
    assert "fixes" not in run_of(report(found))["results"][0]


def test_no_trace_means_no_code_flow():
    assert "codeFlows" not in run_of(report(PIN))["results"][0]


def test_a_trace_without_a_cycle_ends_with_its_essential_step():
    steps = run_of(report(MAY_STICK))["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    assert [step["importance"] for step in steps] == ["essential"]


@pytest.mark.parametrize(("category", "name"), [("", "kubelint-gpu/"), ("prod", "kubelint-gpu/prod/")])
def test_each_inventory_can_have_its_category(category, name):
    assert run_of(report(), category=category)["automationDetails"] == {"id": name}


def test_a_version_that_is_not_semantic_is_not_called_so():
    assert "semanticVersion" in run_of(report())["tool"]["driver"]
    driver = run_of(replace(report(), version="0.1.0.dev3"))["tool"]["driver"]
    assert driver["version"] == "0.1.0.dev3"
    assert "semanticVersion" not in driver


@pytest.mark.parametrize(
    ("path", "address", "relative"),
    [
        ("deploy/a b.yaml", "deploy/a%20b.yaml", True),
        ("a:b#?.yaml", "a%3Ab%23%3F.yaml", True),
        ("検.yaml", "%E6%A4%9C.yaml", True),
        ("\udcff.yaml", "%FF.yaml", True),
        ("\ud800.yaml", "%3F.yaml", True),
        ("/etc/x.yaml", "file:///etc/x.yaml", False),
        ("C:\\x\\y.yaml", "file:///C%3A/x/y.yaml", False),
    ],
)
def test_paths_become_addresses(path, address, relative):
    assert uri(path) == (address, relative)


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(lambda path: path[0] != "/"))
def test_a_relative_address_gives_back_its_path(path):
    address, relative = uri(path)
    assert not relative or unquote(address) == path


def said(run):
    return [entry["message"]["text"] for entry in run["invocations"][0].get("toolExecutionNotifications", [])]


def test_a_run_that_failed_says_so_and_why():
    log = json.loads("".join(render(replace(report(PIN), failed="no inventory {0}"), Options())))
    (invocation,) = log["runs"][0]["invocations"]
    assert invocation["executionSuccessful"] is False
    assert said(log["runs"][0]) == ["The run failed: no inventory {{0}}."]
    assert VALIDATOR.is_valid(log)


def test_more_results_than_github_takes_leave_out_the_least_severe():
    notes = [odd(1 + number, 1, 2, path="a.yaml", severity="note") for number in range(25_000)]
    log = json.loads("".join(render(report(*notes, PIN, DEADLOCK), Options())))
    run = log["runs"][0]
    assert len(run["results"]) == 25_000
    assert run["results"][0]["ruleId"] == DEADLOCK.code
    assert said(run) == [
        "2 of 25002 findings are left out, the least severe ones: GitHub takes no more than 25,000 results and 10 MB of gzip."
    ]


def test_more_bytes_than_github_takes_are_left_out_and_the_log_stays_valid():
    noise = random.Random(3)
    findings = [
        odd(1 + number, 1, 2, noise.randbytes(300_000).hex(), path="a.yaml", severity="note") for number in range(40)
    ]
    written = "".join(render(report(*findings, DEADLOCK), Options()))
    assert len(gzip.compress(written.encode())) < 10_000_000
    run = json.loads(written)["runs"][0]
    assert run["results"][0]["ruleId"] == DEADLOCK.code
    assert 20 < len(run["results"]) < 40
    assert said(run)[0].startswith(f"{41 - len(run['results'])} of 41 findings are left out")
    assert VALIDATOR.is_valid(json.loads(written))


def test_of_a_long_trace_the_beginning_and_the_end_are_told():
    steps = tuple(Step(number, "kubelet", f"step {number}") for number in range(1, 3001))
    run = run_of(report(replace(DEADLOCK, trace=steps)))
    check_invariants(run)
    told = [
        step["location"]["message"]["text"] for step in run["results"][0]["codeFlows"][0]["threadFlows"][0]["locations"]
    ]
    assert len(told) == 1_000
    assert told[498:501] == ["kubelet: step 499", "2003 steps are left out", "kubelet: step 2503"]
    assert told[-2:] == list(DEADLOCK.cycle)


def test_of_many_places_a_hundred_are_linked_and_the_cycle_is_among_them():
    related = tuple(Related(place("nodes.yaml", number, 1, 2), f"node {number}") for number in range(1, 301))
    run = run_of(report(replace(DEADLOCK, related=related)))
    check_invariants(run)
    texts = [entry["message"]["text"] for entry in run["results"][0]["relatedLocations"]]
    assert texts == [*(f"node {number}" for number in range(1, 99)), *DEADLOCK.cycle]
    assert "202 more places are left out." in run["results"][0]["message"]["text"].split("\n")


def test_a_fingerprint_does_not_move_with_the_line():
    moved = replace(DEADLOCK, place=place(DEADLOCK.place.path, 90, 1, 5))
    before, after = (run_of(report(found))["results"][0] for found in (DEADLOCK, moved))
    assert before["partialFingerprints"] == after["partialFingerprints"] == {"kubelintGpu/v1": DEADLOCK.fingerprint}
    assert before["locations"] != after["locations"]


def test_the_rules_are_those_that_were_found_and_unknown_codes_describe_themselves():
    found = run_of(report(odd(1, 1, 2, code="KLG999", name="internal-error"), PIN, PIN))
    ids = [entry["id"] for entry in found["tool"]["driver"]["rules"]]
    assert ids == ["KLG203", "KLG999"]
    assert found["tool"]["driver"]["rules"][-1]["shortDescription"]["text"] == "Internal error."


def test_a_rule_says_what_github_reads():
    page = "# name\n\n| a | b |\n\n" + "word " * 400 + "\n"
    rules = {"KLG203": rule("KLG203", "hostname-pin", "note", "s" * 2000, page=page, tags=tuple("abcdefghijkl"))}
    entry = run_of(report(PIN, rules=rules))["tool"]["driver"]["rules"][0]
    assert entry["name"] == "hostname-pin"
    assert entry["help"]["markdown"] == page.strip()
    assert entry["fullDescription"]["text"].startswith("word word")
    assert len(entry["fullDescription"]["text"]) == len(entry["shortDescription"]["text"]) == 1024
    assert entry["defaultConfiguration"] == {"level": "note"}
    assert entry["properties"] == {
        "tags": list("abcdefghij"),
        "precision": "medium",
        "problem.severity": "recommendation",
    }


def test_links_of_a_rule_lead_somewhere_from_everywhere():
    page = "# name\n\n[a](../KLG101-x/README.md) [b](bad/b.yaml) [c](https://example.com/c) [d](#limits)\n"
    url = "https://example.org/rules/KLG203-hostname-pin/README.md"
    rules = {"KLG203": replace(rule("KLG203", "hostname-pin", "note", "Pinned", page=page), url=url)}
    told = run_of(report(PIN, rules=rules))["tool"]["driver"]["rules"][0]["help"]["markdown"]
    assert "[a](https://example.org/rules/KLG101-x/README.md)" in told
    assert "[b](https://example.org/rules/KLG203-hostname-pin/bad/b.yaml)" in told
    assert "[c](https://example.com/c) [d](#limits)" in told


def test_remarks_about_the_run_are_notes_of_its_invocation():
    log = json.loads("".join(render(replace(report(PIN), summary=Summary(remarks=("a {0}.", "b."))), Options())))
    (run,) = log["runs"]
    assert [one["level"] for one in run["invocations"][0]["toolExecutionNotifications"]] == ["note", "note"]
    assert said(run) == ["a {{0}}.", "b."]
    assert VALIDATOR.is_valid(log)


def test_the_helm_that_rendered_charts_is_an_extension_of_the_tool():
    log = json.loads("".join(render(replace(report(PIN), summary=Summary(helm="v3.1.0")), Options())))
    assert log["runs"][0]["tool"]["extensions"] == [{"name": "helm", "version": "v3.1.0"}]
    assert VALIDATOR.is_valid(log)
