"""The helm that renders: found, named, or missing."""

from __future__ import annotations

import os

from helm_runs import POD, chart, inventory

NO_HELM = {"PATH": os.defpath}


def test_without_helm_each_chart_is_a_note(check, tree):
    root = tree(inventory(chart({"templates/pod.yaml": POD}, folder="charts/a") | chart({}, folder="charts/b")))
    ran = check(root, ".", "-i", "inventory.yaml", helm=None, env=NO_HELM)
    assert ran.told == [("KLG006", "charts/a/Chart.yaml", 2), ("KLG006", "charts/b/Chart.yaml", 2)]
    assert ran.err == "kubelint-gpu: charts are not rendered: there is no helm on the PATH\n"


def test_a_helm_that_is_not_there_is_an_error(check, tree):
    root = tree(chart({"templates/pod.yaml": POD}))
    ran = check(root, ".", helm="./nothing")
    assert ran.code == 2
    assert "--helm: there is no program ./nothing" in ran.err
