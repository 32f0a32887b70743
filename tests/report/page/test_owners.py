"""Whose pods have which letter and which device on the page."""

from __future__ import annotations

import json
import re

from page_samples import PAGE, WALKED

from kubelint_gpu.findings.picture import Holding, Row
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.page import render
from kubelint_gpu.report.page.owners import Owners, cells, places
from kubelint_gpu.values import replace


def shown(found):
    return "".join(render(found, Options()))


def data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_whoever_has_a_gpu_keeps_it():
    moments = data(shown(replace(PAGE, findings=(WALKED,))))["p1"]["moments"]
    rows = [moment["nodes"][0]["cells"][0] for moment in moments]
    assert rows == [[0, 1], [0, 1], [0, 1], [2, 1]], "the neighbour stays, the new pod takes the old one's"


def test_devices_go_to_the_first_that_are_free():
    a, b = ("a", ""), ("b", "")
    assert places({a: 2, b: 1}, [None] * 4) == [a, a, b, None]
    assert places({b: 2}, [a, a, b, None]) == [b, None, b, None]
    assert places({a: 9}, [None] * 2) == [a, a], "what was declared and what is held may disagree"


def test_of_devices_of_claims_each_box_shows_whose_it_is():
    row = Row("NVIDIA L4", "NVIDIA L4", 3, devices=True, whole="3", units=(("gpu-0",), ("gpu-1",), ("gpu-2", "part-2")))
    part = Holding("ns/a", "old", "running", 1, (1,), "", (("part-2",),))
    other = Holding("ns/b", "new", "running", 1, (1,), "", (("gpu-1",),))
    assert cells(row, 0, [part, other], [("ns/b", "new"), None, None]) == [None, ("ns/b", "new"), ("ns/a", "old")]


def test_owners_have_letters_for_ever():
    owners = Owners()
    letters = [owners.letter(f"ns/{number}") for number in range(60)]
    assert len(set(letters)) == 60
    assert letters[:2] == ["A", "B"]
    assert letters[26:28] == ["A1", "B1"]
    assert owners.letter("ns/0") == "A"
