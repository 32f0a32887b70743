from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from report_samples import DEADLOCK, REPORTS, report

from kubelint_gpu.findings.finding import Related, Step
from kubelint_gpu.messages.display import cells
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.text import render
from kubelint_gpu.values import replace

ROOT = Path(__file__).resolve().parents[3]


def text(found, **options):
    return "".join(render(found, Options(**options)))


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("tracker", {}),
        ("tracker", {"verbose": True}),
        ("tracker", {"color": True, "unicode": True}),
        ("several", {"width": 40}),
        ("several", {"width": 40, "verbose": True}),
        ("several", {"width": 120, "unicode": True}),
        ("odd", {}),
        ("odd", {"unicode": True}),
        ("odd", {"width": 40, "unicode": True}),
        ("no-sources", {}),
    ],
)
def test_the_whole_report_is_as_expected(name, options, expected):
    parts = [name, str(options.get("width", 80)), *sorted({"color", "unicode", "verbose"} & set(options))]
    expected(f"text-{'-'.join(parts)}.txt", text(REPORTS[name], **options))


def test_no_finding_gives_one_line_that_says_what_was_checked():
    assert text(report()) == "Checked 3 files, 4 documents, 3 workloads against 10 nodes: all is well.\n"


def test_colour_changes_nothing_but_colour(any_report):
    colored = text(any_report, color=True, unicode=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == text(any_report, unicode=True)


@pytest.mark.parametrize("width", [40, 80, 120])
@pytest.mark.parametrize("unicode", [False, True])
def test_no_line_is_wider_than_the_terminal_unless_one_token_is(any_report, width, unicode):
    for line in text(any_report, width=width, unicode=unicode).splitlines():
        assert cells(line) <= width or len(line.split()) == 1 or " --> " in line or "= rule: " in line


def test_without_unicode_the_report_is_ascii(any_report):
    assert text(any_report).isascii()


def test_the_worst_finding_comes_first_whatever_its_file():
    heads_shown = re.findall(r"^(error|warning|note)\[", text(REPORTS["several"], verbose=True), re.MULTILINE)
    assert heads_shown == ["error", "error", "warning", "note"]


def test_notes_are_shown_with_verbose_or_if_nothing_is_worse():
    shown = text(REPORTS["several"])
    assert "note[" not in shown
    assert "--verbose shows 1 note, " in shown
    (note,) = (one for one in REPORTS["several"].findings if one.severity == "note")
    assert "note[" in text(report(note))


def test_what_is_not_rendered_is_named_although_its_note_is_not_shown():
    (note,) = (one for one in REPORTS["several"].findings if one.severity == "note")
    lone = replace(note, code="KLG006", object="Application/argocd/chat", others=())
    told = "Not rendered, or only in part, so not judged in full: Application argocd/chat."
    assert told in text(report(DEADLOCK, lone))
    assert told not in text(report(lone))
    assert "Not rendered" not in text(REPORTS["several"])


def test_a_finding_is_told_in_one_look_and_the_rest_with_verbose():
    shown = text(report(DEADLOCK))
    block, _, closing = shown.partition("\n\n")
    assert len(block.splitlines()) <= 16
    assert block.index("= fix: ") < block.index("--> ") < block.index("= rule: ")
    assert "scheduler:" not in block
    assert "who waits for whom" not in block
    assert "--verbose" in closing
    whole = text(report(DEADLOCK), verbose=True)
    assert "scheduler:" in whole
    assert "who waits for whom" in whole
    assert "--verbose" not in whole


def test_all_objects_of_a_finding_are_named_with_verbose():
    others = tuple(f"Deployment/ml/s{number:02d}" for number in range(47))
    shown = text(report(replace(DEADLOCK, others=others)))
    (named,) = re.findall(r"= objects: (.*(?:\n {6,}.*)*)", shown)
    assert len(named.splitlines()) == 2
    assert named.startswith("Deployments ml/s00, ml/s01, ml/s02, ")
    listed, more = re.findall(r"ml/s\d\d", named), re.search(r" and (\d+) more$", named)
    assert more is not None
    assert len(listed) + int(more[1]) == 48
    whole = " ".join(text(report(replace(DEADLOCK, others=others)), verbose=True).split())
    assert "= objects: Deployments ml/s00, ml/s01, " in whole
    assert "ml/s46 and vision/object-tracker" in whole
    mixed = " ".join(text(report(replace(DEADLOCK, others=("Job/ml/a", *others[:3])))).split())
    assert "= objects: Deployment ml/s00, Deployment ml/s01, Deployment ml/s02, " in mixed
    assert "= objects" not in text(report(replace(DEADLOCK, others=others[:3])))


def test_what_follows_from_a_cause_is_shown_however_many_places_there_are():
    (first, *_) = DEADLOCK.related
    pin = Related(replace(first.place, line=first.place.line + 1), "its pods are pinned (KLG203)", "KLG203")
    many = replace(DEADLOCK, related=(*DEADLOCK.related * 3, pin))
    assert "(KLG203)" in text(report(many))
    assert "(KLG203)" in text(report(many), verbose=True)


def test_what_is_only_possible_says_so():
    assert "(possible, not certain)" in text(REPORTS["several"])
    shown = text(REPORTS["several"], verbose=True)
    assert "one way it can happen" in shown
    assert "(possible, not certain)" in shown


def test_a_fix_that_is_not_verified_is_none_of_fix():
    (fix, *_) = DEADLOCK.fixes
    shown = text(report(replace(DEADLOCK, fixes=(replace(fix, verified=False),))))
    assert "(not verified, safe: --fix --unsafe-fixes does it)" in " ".join(shown.split())
    assert "\n--fix --unsafe-fixes repairs 1 of them.\n" in shown


def test_what_the_head_rests_on_is_shown_however_long_the_finding_is():
    mine, other = DEADLOCK.object, "Deployment/ml/other"
    acts = [("start", "old pods run", ""), *(("Deployment controller", "creates", mine),) * 9]
    acts += [("kube-scheduler", "cannot place mine", mine), *(("kube-scheduler", "cannot place others", other),) * 5]
    acts += [("Deployment controller", "keeps the old pod", mine)]
    steps = tuple(Step(number, actor, said, about=about) for number, (actor, said, about) in enumerate(acts, 1))
    waits = ("the new pod waits for the old one", *(f"it waits for node {number}" for number in range(9)))
    long = replace(DEADLOCK, trace=steps, cycle=(*waits, "maxUnavailable is 0"), related=DEADLOCK.related * 4)
    shown = text(report(long), verbose=True)
    assert len(shown.split("\n\n")[0].splitlines()) < 40
    for told in ("old pods run", "cannot place mine", "keeps the old", "waits for the old one", "maxUnavailable is 0"):
        assert told in shown
    assert "cannot place others" not in shown


@pytest.mark.parametrize(
    ("kinds", "hint"),
    [
        ((0,), "--fix repairs 1 of them."),
        ((1,), "--fix --unsafe-fixes repairs 1 of them."),
        ((0, 1), "--fix repairs 1 of them, --fix --unsafe-fixes 1 more."),
    ],
)
def test_the_last_line_says_how_to_apply_the_fixes(kinds, hint):
    findings = [replace(DEADLOCK, fixes=(DEADLOCK.fixes[kind],)) for kind in kinds]
    assert text(report(*findings), verbose=True).splitlines()[-1] == hint
    assert hint not in text(report(*findings), fix_hints=False)


def heads(messages, width=80, about="Deployment/ml/a"):
    """The lines before the place of each of some findings."""
    for message in messages:
        shown = text(report(replace(DEADLOCK, message=message, object=about)), width=width)
        yield message, re.split(r"\n +(?:= |--> )", shown)[0].splitlines(), shown


def told_by_rules():
    """Every message of the examples of rules, with the object that it is about."""
    told = (ROOT / "tests" / "snapshot" / "rules.json").read_text()
    lines = [json.loads(f'"{line}"') for line in re.findall(r'^"(KLG\d{3} .*)",?$', told, re.MULTILINE)]
    parts = [re.match(r"KLG\d+ \w+ \w+ (\S*) \S+ \d+ \d+ (.*)", line) for line in lines]
    return sorted(
        {(one[1], re.sub(r" (moment|scheduler|related|trace|fixes|help|cycle)=.*", "", one[2])) for one in parts if one}
    )


def test_most_findings_are_told_in_two_lines_and_none_in_more_than_three():
    messages = told_by_rules()
    assert len(messages) > 200
    told = [found for about, message in messages for found in heads([message], about=about)]
    long = [message for message, head, _ in told if len(head) > 2]
    assert len(long) <= len(messages) // 40, long
    assert all(len(head) <= 3 for _, head, _ in told)


def test_no_headline_breaks_off_within_a_clause():
    for about, message in told_by_rules():
        for _, _, shown in heads([message], about=about):
            assert not re.search(r"= note: (but|so|held|used|where|although|beside|because|unless|which)\b", shown)


def test_the_head_says_who_what_and_why_in_whole_clauses():
    message = (
        "the rollout never ends: the new pod waits for 8 nvidia.com/gpu on a100-1, a100-2, a100-3 and a100-4, held by "
        "4 old pods, and the old pods are kept until the new one is available"
    )
    (_, head, shown) = next(heads([message], about="Deployment/inference/llama-3-70b"))
    assert len(head) == 2
    assert all(len(line) <= 80 for line in head)
    assert " ".join(" ".join(head).split()) == (
        "error[KLG101]: Deployment inference/llama-3-70b: the rollout never ends: the new pod waits for 8 "
        "nvidia.com/gpu on a100-1, a100-2, a100-3 and a100-4"
    )
    assert "= note: it is held by 4 old pods, and the old pods are kept until" in shown


@pytest.mark.parametrize(
    ("message", "note"),
    [
        ("the new pod waits for 1 nvidia.com/gpu on gpu-1, held by StatefulSet research/notebook", "it is held by"),
        ("the new pod is refused by quota team, which allows 2 requests.nvidia.com/gpu in all", "it allows 2"),
        ("a rollout can evict 1 pod of StatefulSet research/notebook, although budget n forbids", "budget n forbids"),
        ("the new pod waits on node-2 for claim model-store-of-the-team, attached to node-1", "it is attached to"),
        ("not all pods of DaemonSets one and another can run on node-1, node-2 and all others", "this is on"),
    ],
)
def test_what_follows_the_head_of_a_long_clause_is_a_sentence(message, note):
    (_, head, shown) = next(heads([message], about=f"Deployment/{'team-' * 5}a/{'chat-' * 4}a"))
    assert len(head) == 2
    assert f"= note: {note}" in shown


@pytest.mark.parametrize(
    ("message", "head", "note"),
    [
        (
            f"the rollouts of its pods and of those of others never end: 1 of 3 GPUs is free on a100-1, held by {'others ' * 9}",
            "is free on a100-1",
            "it is held by others",
        ),
        (
            f"no node takes its pod, which lacks a toleration: a has nvidia.com/gpu:NoSchedule; b has {'x=y:NoExecute ' * 4}",
            "a has nvidia.com/gpu:NoSchedule",
            "b has x=y:NoExecute",
        ),
        (
            f'kind: unsupported value "{"long-" * 18}": supported values: "a", "b"',
            'long-"',
            'supported values: "a", "b"',
        ),
    ],
)
def test_a_head_of_two_lines_says_why_if_that_fits(message, head, note):
    (_, lines, shown) = next(heads([message]))
    assert len(lines) == 2
    assert lines[-1].endswith(head)
    assert f"= note: {note}" in shown


def test_a_condition_is_never_cut_off():
    message = "the rollout never ends only if another workload of this namespace takes the node that the new pod needs"
    (_, head, _) = next(heads([message], about=f"Deployment/{'team-' * 5}a/a"))
    assert " ".join(head).endswith("needs")


def test_no_taint_is_cut_in_two():
    message = (
        "the pod must be near Deployment ml/cache, which can only be on gpu-node-1, where gpu-node-1 had untolerated "
        "taint {dedicated: infrastructure-of-others}, so that no node there takes the pod"
    )
    (_, head, _) = next(heads([message]))
    assert " ".join(head).count("{") == " ".join(head).count("}")


def test_a_name_is_no_reason_to_cut_the_why():
    message = f"the rollout never ends: the new pod waits for {'x' * 90}, held by the old pod; and more"
    (_, head, _) = next(heads([message], about=f"Deployment/inference/{'long-' * 12}name"))
    assert " ".join(head).endswith("held by the old pod")


def test_nothing_of_a_long_sentence_is_lost():
    message = (
        "the rollout never ends: the new pod waits for 2 nvidia.com/gpu on gpu-node-1 and gpu-node-2 (1 free), held by "
        "the old pod, and the old pod is kept until the new one is available"
    )
    (_, head, shown) = next(heads([message]))
    assert len(head) == 2
    assert "= note: " in shown
    words = re.sub(r"\W+", " ", shown)
    assert "the old pod is kept until the new one is available" in words


def test_a_finding_is_no_longer_than_a_screen(any_report):
    for block in text(any_report).split("\n\n"):
        assert len(block.splitlines()) <= 40


def test_a_long_sentence_is_not_cut_before_a_parenthesis_in_the_middle_of_a_clause():
    told = "the rollout ends only if one of the pools user and gpu adds a node meanwhile: until then the new pod waits "
    (_, head, shown) = next(
        heads([told + "for 3 cpu (1 free) and 12Gi of memory (3Gi free) on gpu-1, user-1 and user-2"])
    )
    assert " ".join(head).endswith("node meanwhile")
    assert "of memory (3Gi free)" in " ".join(shown.split())
    (_, head, shown) = next(
        heads([told.replace(": until", " although") + "(possible in the node pools of the cluster)"])
    )
    assert "= note: possible in the node pools of the cluster\n" in shown
