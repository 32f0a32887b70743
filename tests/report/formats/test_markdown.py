from __future__ import annotations

import re

import cmarkgfm
import pytest
from cmarkgfm.cmark import Options as Cmark
from hypothesis import given
from hypothesis import strategies as st
from report_samples import DEADLOCK, MAY_STICK, PIN, REPORTS, Text, odd, place, report

from kubelint_gpu.findings.finding import Fix, Related, Step, Summary, TextEdit
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.markdown import LIMIT, render
from kubelint_gpu.values import replace

WILD = st.text(st.characters(), max_size=60)
OF_A_TABLE = {"p", "strong", "table", "thead", "tbody", "tr", "th", "td", "code", "span"}
NASTY = [
    "<img src=x onerror=alert(1)>",
    "a | b | c",
    "`code` **bold** _it_ ~~gone~~ $x$",
    "[link](https://evil.example) ![pic](https://evil.example/p.png)",
    "https://evil.example and www.evil.example",
    "line\nbreak\r\n\r\n# heading",
    "\x1b[31mred\u202e\x00",
    "</details><script>alert(1)</script>",
    "~~~~\n<b>out</b>",
    "&lt;b&gt; &amp; \\| \\",
    "@octocat fixes #12",
]


def shown(found):
    return "".join(render(found, Options()))


def html(found):
    """What GitHub's own parser makes of it, HTML let through as it does."""
    return cmarkgfm.github_flavored_markdown_to_html(shown(found), Cmark.CMARK_OPT_UNSAFE)


def cells(found):
    return [
        re.findall(r"<td>(.*?)</td>", row, re.DOTALL)
        for row in re.findall(r"<tr>\n(<td>.*?)</tr>", html(found), re.DOTALL)
    ]


def test_the_whole_output_is_as_expected(expected):
    expected("markdown.txt", shown(REPORTS["several"]))


def test_the_worst_comes_first_and_every_finding_has_a_row():
    rows = cells(REPORTS["several"])
    assert [row[0].split()[-1] for row in rows] == ["error", "error", "warning", "note"]
    assert [re.search(r"KLG\d+", row[1])[0] for row in rows] == ["KLG101", "KLG302", "KLG107", "KLG203"]
    assert rows[0][3] == "<code>deploy/tracker.yaml:7</code>"
    assert rows[0][4] == "Deployment vision/object-tracker"


def test_the_code_links_to_its_page():
    assert '<a href="https://example.org/kubelint-gpu/rules/KLG101-rollout-deadlock">KLG101</a>' in html(
        report(DEADLOCK)
    )
    assert "<a " not in html(report(DEADLOCK, rules={}))


def test_the_first_deadlock_is_told_with_cycle_and_fixes():
    page = html(report(PIN, DEADLOCK))
    tale = page[page.index("<details>") : page.index("</details>")]
    assert tale.count("<li>") >= len(DEADLOCK.trace) + len(DEADLOCK.cycle) + len(DEADLOCK.fixes)
    assert all(step.message in tale for step in DEADLOCK.trace)
    assert all(sentence in tale for sentence in DEADLOCK.cycle)
    assert "+  strategy:\n+    rollingUpdate:\n+      maxSurge: 0\n+      maxUnavailable: 1\n" in tale


def test_without_a_deadlock_nothing_is_folded():
    assert "<details>" not in shown(report(PIN))


def test_nothing_found_is_one_line():
    assert (
        shown(report()) == "**kubelint-gpu** checked 3 files, 4 documents, 3 workloads against 10 nodes: all is well.\n"
    )


def test_a_run_that_failed_says_so_first():
    failed = replace(report(PIN), failed="the inventory cannot be used")
    assert shown(failed).startswith("**kubelint-gpu** the run failed: the inventory cannot be used. 3 files,")
    assert shown(replace(report(), failed="no inventory")) == "**kubelint-gpu** the run failed: no inventory.\n"


@pytest.mark.parametrize("text", NASTY)
def test_text_of_the_input_stays_text_in_its_cell(text):
    finding = odd(1, 1, 2, text, path=text, object=f"Pod/{text}/x", name=text)
    page = html(report(finding, sources={}, rules={}))
    assert len(cells(report(finding, sources={}, rules={}))) == 1
    assert all(len(row) == 5 for row in cells(report(finding, sources={}, rules={})))
    assert set(re.findall(r"<([a-zA-Z]+)", page)) <= OF_A_TABLE


@pytest.mark.parametrize("text", NASTY)
def test_text_of_the_input_stays_text_in_the_tale(text):
    fix = Fix(text, "safe", verified=True, edits=(TextEdit(place("a.yaml", 1, 1, 1), text),))
    finding = odd(
        1,
        1,
        2,
        text,
        path="a.yaml",
        trace=(Step(1, text, text),),
        cycle=(text,),
        help=(text,),
        scheduler=text,
        fixes=(fix,),
    )
    page = html(report(finding, sources={"a.yaml": Text(text)}, rules={}))
    assert page.count("<details>") == page.count("</details>") == 1
    assert page.rstrip().endswith("</details>")
    assert set(re.findall(r"<([a-zA-Z]+)", page)) <= {*OF_A_TABLE, "details", "summary", "ol", "ul", "li", "pre"}


@pytest.mark.parametrize("text", ["@octocat", "#12"])
def test_nobody_is_mentioned_and_no_issue_is_linked(text):
    """GitHub looks for both in the text between two tags."""
    page = html(report(odd(1, 1, 2, f"see {text}"), sources={}, rules={}))
    assert text not in page
    assert re.sub("<[^>]*>", "", page).count(text) == 1


@given(WILD, WILD)
def test_whatever_the_input_a_finding_is_one_row_of_five_cells(message, path):
    found = report(
        odd(1, 1, 2, message, path, scheduler=message, related=(Related(place(path, 1, 1, 2), message),)), sources={}
    )
    assert [len(row) for row in cells(found)] == [5]
    assert "\n" not in shown(found).partition("| --- | --- | --- | --- | --- |\n")[2].rstrip("\n")


def test_a_table_beyond_githubs_limit_is_cut_and_says_so():
    notes = [odd(1 + number, 1, 2, "é" * 500, "note.yaml", severity="note") for number in range(2_000)]
    found = report(*notes, DEADLOCK)
    page = shown(found)
    assert LIMIT - 3_000 < len(page.encode()) <= LIMIT < 2**20
    left_out = int(re.search(r"\n(\d+) of 2001 findings are left out: a summary takes no more than 1 MiB\.\n", page)[1])
    assert page.count("💡 note") == 2_000 - left_out
    assert "❌ error" in page, "the worst is shown"
    assert page.endswith("</details>\n"), "and the deadlock is told whatever else is cut"


def test_what_just_fits_is_not_cut():
    found = report(*(odd(1 + number, 1, 2, path="many.yaml") for number in range(5_000)), sources={})
    assert "left out" not in shown(found)
    assert len(cells(found)) == 5_000


def test_a_very_long_story_loses_its_middle():
    steps = tuple(Step(number, "kubelet", f"step {number} of 100") for number in range(1, 101))
    page = shown(report(replace(DEADLOCK, trace=steps)))
    assert "\n60 steps are left out\n" in page
    assert "\n20. **kubelet**: step 20 of 100\n" in page
    assert "\n81. **kubelet**: step 81 of 100\n" in page


def test_giant_texts_are_bounded():
    giant = "x|" * 50_000
    fix = Fix(giant, "safe", verified=True, edits=(TextEdit(place("a.yaml", 1, 1, 1), f"{giant}\n" * 70),))
    steps = tuple(Step(number, giant, giant) for number in range(1, 101))
    finding = odd(1, 1, 2, giant, path="a.yaml", object=giant, trace=steps, cycle=(giant,) * 99, fixes=(fix,) * 9)
    page = shown(report(finding, MAY_STICK, sources={"a.yaml": Text(giant)}, summary=Summary(errors=1)))
    assert len(page.encode()) < LIMIT
    assert "<details>" in page
