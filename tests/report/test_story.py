"""The steps of a run as data for the page."""

from __future__ import annotations

import json
import re

from page_samples import PAGE, PICTURE, WALKED
from report_samples import DEADLOCK, report

from kubelint_gpu.report.content import Options
from kubelint_gpu.report.page import render
from kubelint_gpu.values import replace


def shown(found):
    return "".join(render(found, Options()))


def data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])


def test_a_story_without_a_picture_has_no_controls():
    page = shown(report(DEADLOCK))
    assert "walk" not in page[page.index("<body>") : page.index("<script")]
    assert data(page) == {}


def test_stage_data_has_a_moment_for_each_step():
    found = data(shown(replace(PAGE, findings=(WALKED,))))["p1"]
    assert found["steps"] == list(PICTURE.steps)
    assert len(found["moments"]) == len(PICTURE.moments)
