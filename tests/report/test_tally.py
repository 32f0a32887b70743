"""The lines that count: statistics, and what is said where nothing was found."""

from __future__ import annotations

from report_samples import DEADLOCK, PIN, REPORTS, place, report

from kubelint_gpu.findings.finding import Summary
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.text import render
from kubelint_gpu.report.tally import statistics
from kubelint_gpu.values import replace


def text(found, **options):
    return "".join(render(found, Options(**options)))


def test_statistics_are_as_expected(expected):
    several = REPORTS["several"]
    found = report(*several.findings, replace(PIN, place=place("deploy/tracker.yaml", 1, 1, 2)))
    expected("statistics.txt", "".join(statistics(found, Options())))


def test_statistics_of_nothing_are_the_friendly_line():
    assert "".join(statistics(report(), Options())) == text(report())


def test_without_nodes_the_friendly_line_does_not_claim_an_inventory():
    found = report(summary=Summary(files=1, documents=1, workloads=1))
    assert text(found) == "Checked 1 file, 1 document, 1 workload without an inventory: nothing found.\n"


def test_files_of_which_none_were_taken_together_are_said_to_be_so():
    apart = Summary(files=2, documents=2, workloads=2, nodes=1, units=("a.yaml", "b.yaml"))
    expected = "Checked 2 files in 2 units (a.yaml and b.yaml), 2 documents, 2 workloads against 1 node: all is well.\n"
    assert text(report(summary=apart), width=200) == expected


def test_three_units_are_named_at_most_and_one_too():
    many = Summary(files=9, workloads=2, nodes=1, units=("a", "b", "c", "d", "e"))
    assert "9 files in 5 units (a, b, c and 2 more), " in text(report(summary=many), width=200)
    assert "9 files as one unit (a), " in text(report(summary=replace(many, units=("a",))), width=200)


def test_remarks_stand_behind_the_closing_line_whatever_was_found():
    summary = Summary(files=1, workloads=1, nodes=1, remarks=("It was so.", "And so."))
    for found in (report(summary=summary), report(PIN, summary=summary), replace(report(summary=summary), failed="no")):
        assert text(found).endswith("\nIt was so.\nAnd so.\n")


def test_names_with_line_breaks_are_written_out():
    odd = Summary(files=2, workloads=1, nodes=1, units=("we\nird/",), remarks=("a\n::error::b is left out.",))
    told = text(report(summary=odd), width=200)
    assert "2 files as one unit (we\\nird/), " in told
    assert told.endswith("\na\\n::error::b is left out.\n")


def test_a_run_over_nothing_does_not_say_that_all_is_well():
    assert text(report(summary=Summary())) == "Nothing to check: no manifest was given or found.\n"


def test_hidden_or_undecided_findings_do_not_count_as_well():
    found = report(summary=Summary(files=1, documents=1, workloads=1, nodes=1, warnings=2, ignored=1, undecided=1))
    assert text(found, width=200) == (
        "Checked 1 file, 1 document, 1 workload against 1 node: nothing to report (1 ignored, 1 undecided).\n"
    )


def test_claims_that_nobody_declares_are_named():
    summary = Summary(files=1, documents=1, workloads=1, nodes=1, unknown=("ml/data",))
    told = "Checked 1 file, 1 document, 1 workload against 1 node: all is well; claim ml/data is not known.\n"
    assert text(report(summary=summary), width=200) == told
    many = replace(summary, unknown=tuple(f"ml/data-{number}" for number in range(9)))
    assert "9 claims (ml/data-0, ml/data-1, ...) are not known." in text(report(summary=many), width=200)
    assert "; claim ml/data is not known\n" in text(report(PIN, summary=summary), width=200)


def test_undecided_questions_are_counted_with_their_reasons():
    summary = Summary(files=1, workloads=1, nodes=1, undecided=3, reasons=(("a is not known", 2), ("b was cut", 1)))
    told = "Checked 1 file, 0 documents, 1 workload against 1 node: nothing to report (3 undecided: 2 because a is not "
    assert text(report(summary=summary), width=200) == f"{told}known, 1 because b was cut).\n"
    one = replace(summary, undecided=1, reasons=(("a is not known", 1),))
    assert "(1 undecided: a is not known)" in text(report(PIN, summary=one), width=200)


def test_fixes_of_notes_count_only_where_nothing_else_has_one():
    note = replace(DEADLOCK, severity="note", code="KLG114", fingerprint="n")
    told = text(report(DEADLOCK, note), width=200)
    assert "1 error, 1 note (1 fixable)\n--fix repairs 1 of them.\n" in told
    told = text(report(note, PIN), width=200)
    assert (
        "(1 fixable)\nThe fix of a note is made where its code is selected: --fix --unsafe-fixes --select KLG114.\n"
        in told
    )


def test_findings_that_are_not_shown_are_counted():
    summary = Summary(files=1, workloads=1, nodes=1, hidden=2)
    assert "nothing to report (2 not shown)." in text(report(summary=summary), width=200)
