"""Fixes of rendered objects are made in the sources."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
EXAMPLE = ROOT / "examples" / "kustomize"


def test_a_fix_changes_the_source_and_is_rendered_again(check, example):
    fix = (".", "--inventory", "inventory.yaml", "--fix", "--unsafe-fixes")
    ran = check(example, *fix)
    assert ran.code == 0, ran.out
    # with the deadlock gone the pin is a note, and those are mended where their code is selected
    assert "note[KLG203]: " in ran.out
    assert "9 files in 2 units (overlays/prod and overlays/staging), 2 workloads checked: 1 note" in " ".join(
        ran.out.split()
    )
    ran = check(example, *fix, "--select", "KLG203")
    assert (ran.code, "fixed KLG203" in ran.err) == (0, True), ran.out
    assert "nvidia.com/gpu.product: NVIDIA-L4" in (example / "components/pinned/pin.yaml").read_text()
    assert "maxSurge: 0" in (example / "base/deployment.yaml").read_text()
    for name in ("overlays/prod/kustomization.yaml", "overlays/prod/gpus.yaml", "base/kustomization.yaml"):
        assert (example / name).read_bytes() == (EXAMPLE / name).read_bytes()
    assert check(example, ".", "--inventory", "inventory.yaml").findings == []


def test_a_fix_that_would_harm_another_overlay_is_not_made(check, tree):
    """The base is right for one overlay; to mend the other one there is to break the first."""
    deployment = (
        (EXAMPLE / "base" / "deployment.yaml")
        .read_text()
        .replace("gpu-class: small", "kubernetes.io/hostname: small-1")
    )
    folder = tree(
        **{
            "i.yaml": (EXAMPLE / "inventory.yaml").read_text(),
            "base/kustomization.yaml": "resources: [deployment.yaml]\n",
            "base/deployment.yaml": deployment,
            "one/kustomization.yaml": "resources: [../base]\n",
            # this one asks for what only another node has, and takes the pin out of the base
            "two/kustomization.yaml": "resources: [../base]\npatches: [path: patch.yaml]\n",
            "two/patch.yaml": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: chat}\nspec:\n  strategy: {type: Recreate}\n"
            "  template:\n    spec:\n      nodeSelector: {kubernetes.io/hostname: null, gpu-class: large}\n",
        }
    )
    arguments = ("--inventory", "i.yaml", "--select", "KLG203", "--fix", "--unsafe-fixes")
    ran = check(folder, "one", "two", *arguments)
    assert "it would bring another finding to two" in ran.err
    assert (folder / "base/deployment.yaml").read_text() == deployment
    check(folder, "one", *arguments)
    assert "nvidia.com/gpu.product: NVIDIA-L4" in (folder / "base/deployment.yaml").read_text()
