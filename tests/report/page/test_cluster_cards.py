"""The nodes of a cluster on the page."""

from __future__ import annotations

import re

from page_samples import CLUSTER, GPU, PAGE

from kubelint_gpu.findings.picture import Holding, NodeGroup, PoolPicture
from kubelint_gpu.report.content import Options
from kubelint_gpu.report.page import render
from kubelint_gpu.values import replace


def shown(found):
    return "".join(render(found, Options()))


def test_the_cluster_shows_classes_with_counts():
    page = shown(PAGE)
    aside = re.sub("<[^>]*>", "", page[page.index("<aside") : page.index("</aside>")])
    for told in (
        "gpu-[1-200] &times; 200",
        "0 of 2 nvidia.com/gpu free each; held by ml/train (2)",
        "and 10 more nodes",
        "2 further nodes of other kinds left out",
        "Declared unhealthy",
        "Unhealthy: fans",
        "Cordoned: takes no new pods",
        "40 of 40 nvidia.com/gpu (shares) free",
        "3 pods without a GPU",
        "and there may be others",
    ):
        assert told in aside


def test_devices_of_claims_are_named_where_they_are_free_and_where_somebody_has_them():
    row = replace(GPU, resource="NVIDIA L4", units=(("gpu-0", "part-0"), ("gpu-1",)))
    group = NodeGroup("n", 1, (row,), (Holding("ml/a", "", "running", 1, (1,), "", (("part-0",),)),))
    kind = replace(CLUSTER.classes[0], groups=(group,))
    page = shown(replace(PAGE, clusters=(replace(CLUSTER, classes=(kind,)),)))
    assert "1 of 2 NVIDIA L4 free (gpu-1); held by ml/a (part-0)" in page


def test_every_cluster_is_drawn_under_its_name():
    found = replace(PAGE, clusters=(CLUSTER, replace(CLUSTER, name="west"), replace(CLUSTER, name="east")))
    page = shown(found)
    aside = page[page.index("<aside") : page.index("</aside>")]
    assert "The 3 clusters</h2>" in aside
    assert re.findall(r'<h3 class="declared">(.*?)</h3>', aside)[1:] == ["west", "east"]
    assert aside.count("gpu-[1-200]") == 3


def test_what_all_manifests_ask_for_stands_above_the_nodes():
    full, roomy = PoolPicture("A100", 8, 2, 6, 5, 0, 1, 3), PoolPicture("L4", 4, 0, 1, 0, 3, 0, 0)
    page = shown(replace(PAGE, clusters=(replace(CLUSTER, pools=(full, roomy, *[roomy] * 30)),)))
    assert "A100: 8 GPUs, 2 held by others, 6 by these manifests at rest, 0 free, 5 more asked for." in page
    assert '<p class="small alarm">Rollouts take 1 more one after the other, 3 all at once.</p>' in page
    assert page.count("L4: 4 GPUs") == 23
    assert "and 8 more" in page
    silent = replace(CLUSTER, told=())
    assert "With all of these manifests" not in shown(replace(PAGE, clusters=(silent,)))
    many = shown(replace(PAGE, clusters=(replace(silent, told=(("What cannot be lost", ("node <a>",) * 30),)),)))
    assert "<summary>What cannot be lost (30)</summary>" in many
    assert many.count("<li>node &lt;a&gt;</li>") == 24
    assert "<li>and 6 more</li>" in many
