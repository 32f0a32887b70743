"""What several overlays have in common is told once."""

from __future__ import annotations

import json
import sys
from pathlib import Path

COMMAND = Path(sys.executable).parent / "kubelint-gpu"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: %s}\nspec:\n  priorityClass: high\n  containers: [{name: a, image: a}]\n"


def test_one_base_through_ten_overlays_is_one_finding(check, tree):
    overlays = {
        f"o{number}/kustomization.yaml": f"resources: [../base]\nnamePrefix: o{number}-\n" for number in range(10)
    }
    folder = tree(**{"base/kustomization.yaml": "resources: [pod.yaml]\n", "base/pod.yaml": POD % "a", **overlays})
    [finding] = check(folder, ".").findings
    assert (finding["path"], finding["line"]) == ("base/pod.yaml", 5)
    assert [one["path"] for one in finding["related"]] == sorted(overlays)
    (fix,) = finding["fixes"]
    assert fix["title"].endswith("; o1, o2 and 7 others change, too")


def test_a_suppressed_finding_of_a_base_counts_once_through_ten_overlays(check, tree):
    pod = (POD % "a").replace("priorityClass: high", "priorityClass: high # kubelint-gpu: ignore[KLG002] known")
    overlays = {
        f"o{number}/kustomization.yaml": f"resources: [../base]\nnamePrefix: o{number}-\n" for number in range(10)
    }
    base = {"base/kustomization.yaml": "resources: [pod.yaml]\n", "base/pod.yaml": pod}
    folder = tree(**base, **overlays, **{"plain.yaml": pod.replace("name: a", "name: b", 1)})
    ran = check(folder, ".")
    assert (ran.findings, json.loads(ran.out)["summary"]["ignored"]) == ([], 2)
