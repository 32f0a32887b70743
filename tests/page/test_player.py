"""The report page, clicked through in a real browser: a page made of a report that does not change with the rules."""

from __future__ import annotations

import json
import re

import pytest
import walks


@pytest.fixture(scope="module")
def page():
    from page_samples import PAGE

    from kubelint_gpu.report.content import Options
    from kubelint_gpu.report.page import render

    return "".join(render(PAGE, Options()))


@pytest.fixture(scope="module")
def data(page):
    return json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])["p1"]


@pytest.fixture(scope="module")
def walked(seen, page):
    return seen("all_steps", page, walks.all_steps)


def quiet(found):
    return found["problems"] == [] and set(found["requests"]) == {"file"}


def test_the_button_walks_to_the_end_and_stops_there(walked):
    assert [found["step"] for found in walked["forward"]] == ["1", "2", "3", "4", "4"]
    assert [found["current"] for found in walked["forward"]] == [0, 1, 2, 3, 3]
    assert walked["forward"][0]["ends"] == ["true", "false"]
    assert walked["forward"][-1]["ends"] == ["false", "true"]
    assert quiet(walked)


def test_each_step_tells_what_the_trace_tells(walked):
    from report_samples import DEADLOCK

    told = [(found["actor"], found["what"]) for found in walked["forward"][:-1]]
    assert told == [(step.actor, step.message) for step in DEADLOCK.trace]


def test_what_is_drawn_is_what_the_simulation_says(walked, data):
    for found, at in zip(walked["forward"], [*data["steps"], data["steps"][-1]], strict=True):
        moment = data["moments"][at]
        for box, node, now in zip(found["boxes"], data["nodes"], moment["nodes"], strict=True):
            assert box["name"] == node["name"]
            assert box["joined"] == now["joined"]
            if now["joined"]:
                letters = [
                    "".join(data["pods"][index][at] for at in (0, 3)) if index >= 0 else "" for index in now["cells"][0]
                ]
                assert box["cells"] == [letters]
                assert box["bars"] == [[now["held"][1], node["rows"][1][1]]]
                assert box["held"] == [
                    f"{used} {row[0]} held" for used, row in zip(now["used"], node["rows"], strict=True)
                ]
                assert len(box["pods"]) == max(1, len(now["pods"]))
        assert len(found["waiting"]) == max(1, len(moment["waiting"]))


def test_going_back_shows_what_was_shown_before(walked):
    for found, before in zip(walked["back"], reversed(walked["forward"][1:3]), strict=True):
        assert {**found, "live": ""} == {**before, "live": ""}


def test_a_listener_hears_step_and_state(walked):
    assert walked["forward"][0]["live"] == "", "nothing is said before anything is done"
    assert walked["forward"][1]["live"].startswith("Step 2 of 4. deployment-controller: creates 1 new pod")
    assert "tracker-node: 2 of 2 nvidia.com/gpu held" in walked["forward"][1]["live"]


def test_keys_and_slider_walk_too(seen, page):
    found = seen("keys", page, walks.keys)
    assert found["steps"] == {
        "arrow on the page": "2",
        "arrow back": "1",
        "enter on next": "2",
        "space on next": "3",
        "home in the player": "1",
        "end in the player": "4",
        "arrow on the slider": ["3", "Step 3 of 4"],
        "home on the slider": ["1", "Step 1 of 4"],
        "click on the third": "3",
    }
    assert found["outlines"] == ["solid"], "whatever has the focus shows it"
    assert found["tab order"][:2] == ["skip", "theme"], "who uses the keyboard can skip to the findings"
    assert quiet(found)


def test_colours_follow_the_system_until_the_reader_chooses(seen, page):
    found = seen("colours", page, walks.colours)
    light, dark = "rgb(246, 245, 241)", "rgb(20, 22, 26)"
    assert found["looks"] == {
        "light": [[light, "Dark colours"], [dark, "Light colours"]],
        "dark": [[dark, "Light colours"], [light, "Dark colours"]],
    }
    assert quiet(found)


def test_findings_are_filtered_by_severity_and_word(seen, page):
    found = seen("filters", page, walks.filters)
    assert found["shown"] == {
        "all": [["error", "error", "error", "warning", "note"], "5 of 5 on this page"],
        "no errors": [["warning", "note"], "2 of 5 on this page"],
        "search": [["error"], "1 of 5 on this page"],
    }
    assert quiet(found)


def test_without_scripts_every_step_and_what_is_held_can_be_read(seen, page):
    from report_samples import DEADLOCK

    found = seen("without_script", page, walks.without_script)
    assert found["steps"] == [step.message for step in DEADLOCK.trace]
    assert len(found["held"]) == len(DEADLOCK.trace)
    assert found["controls"] == 0
    assert quiet(found)


def test_nothing_is_wider_than_the_screen(seen, page):
    found = seen("widths", page, walks.widths)
    assert found["fits"] == dict.fromkeys(("320", "390", "768", "1280", "1920"), True)


def test_a_manifest_named_like_an_attack_is_harmless(seen, page):
    found = seen("attack", page, walks.attack)
    assert (found["images"], found["scripts"]) == (0, 2)
    assert found["name"] == "<img src=x onerror=alert(1)>"
    assert found["attacked"] is False
    assert quiet(found)
    assert found["script put in later ran"] is False, "the policy allows no script but the page's own"
    assert found["blocked"] is True
