"""Places of a finding, put together as a reader sees them."""

from __future__ import annotations

import pytest
from report_samples import DEADLOCK

from kubelint_gpu.findings.finding import Place, Related
from kubelint_gpu.report.mark import NEAR, Mark, groups, headline, object_name
from kubelint_gpu.values import replace


def at(line, path="a.yaml", column=1, end_line=None, end_column=5):
    return Place(path, line, column, end_line or line, end_column)


def finding(*related, at_line=10):
    return replace(DEADLOCK, place=at(at_line), related=tuple(Related(place, text) for place, text in related))


def lines(found):
    return [[(mark.place.line, mark.label, mark.primary) for mark in group] for group in found]


def test_places_of_one_screen_are_one_snippet_by_line():
    found = groups(finding((at(10 + NEAR), "below"), (at(3), "above"), (at(10), "here")))
    assert lines(found) == [[(3, "above", False), (10, "here", True), (10 + NEAR, "below", False)]]


def test_what_is_farther_away_or_in_another_file_stands_apart_and_behind():
    found = groups(finding((at(200), "far"), (at(11, "0.yaml"), "other")))
    assert [[label for _, label, _ in group] for group in lines(found)][1:] == [["far"], ["other"]]
    assert found[0][0].primary


def test_what_is_said_of_one_place_is_joined_and_silence_names_the_object():
    assert lines(groups(finding((at(10), "one"), (at(10), "two")))) == [[(10, "one; two", True)]]
    bare = finding()
    assert lines(groups(bare)) == [[(10, object_name(bare), True)]]


@pytest.mark.parametrize(
    ("message", "named"),
    [
        ("the rollout never ends: the new pod waits, held by Deployment b/b", True),
        ("the rollout of Deployment ml/ab never ends", True),
        ("the rollout of Deployment ml/a never ends", False),
        ("rolled out together, Deployments ml/a, ml/b block each other", False),
        ("Deployments ml/b and ml/a block each other", False),
        ("StatefulSet ml/a has the same selector", True),
        ("of the pods of b, a and c one waits", True),
        ("Deployment a: no node", False),
        ("Deployment/ml/a is here twice", False),
    ],
)
def test_a_headline_names_the_object_once(message, named):
    told = headline(replace(DEADLOCK, object="Deployment/ml/a", message=message))
    assert told == (f"Deployment ml/a: {message}" if named else message)
    assert headline(replace(DEADLOCK, object="", message=message)) == message


def test_an_end_before_the_first_column_shows_no_part_of_its_line():
    assert Mark(at(3, end_line=5, end_column=1), "").last_line == 4
    assert Mark(at(3, end_line=5, end_column=2), "").last_line == 5
    assert Mark(at(3, end_line=3, end_column=1), "").last_line == 3
