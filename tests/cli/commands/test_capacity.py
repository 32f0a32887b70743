"""`capacity` counts what is declared against what there is."""

from __future__ import annotations

import json

from command_line import ROOT, TRACKER, kubelint

HERE = ("capacity", TRACKER / "tracker.yaml", "-i", TRACKER / "nodes.yaml")


def test_the_page_shows_the_real_output():
    page = (ROOT / "docs" / "capacity.md").read_text(encoding="utf-8")
    assert f"```text\n{kubelint(*HERE).out}```" in page


def test_json_says_the_same():
    (found,) = json.loads(kubelint(*HERE, "--output-format", "json").out)["clusters"]
    small = found["shares"][1]
    assert (small["declared"], small["free"], small["rollouts"]) == (1, 0, {"oneByOne": 1, "atOnce": 1})
    (rollout,) = found["rollouts"]
    assert (rollout["workload"], rollout["roomOneByOne"]) == ("Deployment vision/object-tracker", False)
    assert [one["nodes"] for one in found["cannotBeLost"]] == [["tracker-node"]]


def test_without_an_inventory_it_says_what_to_give(tmp_path):
    ran = kubelint("capacity", TRACKER / "tracker.yaml", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert "give --inventory FILE" in ran.err


def test_a_file_that_cannot_be_read_is_told_and_the_others_count(tmp_path):
    (tmp_path / "bad.yaml").write_text("a: [\n")
    (tmp_path / "good.yaml").write_bytes((TRACKER / "tracker.yaml").read_bytes())
    ran = kubelint("capacity", ".", "-i", TRACKER / "nodes.yaml", cwd=tmp_path)
    assert ran.code == 2
    assert "object-tracker" in ran.out
    assert "bad.yaml:1:4: " in ran.err
