"""A report with everything that a page draws; names that would be markup if anybody let them."""

from __future__ import annotations

from report_samples import DEADLOCK, MAY_STICK, PIN, UNKNOWN_CLASS, odd, report

from kubelint_gpu.findings.finding import Step
from kubelint_gpu.findings.picture import (
    ClassPicture,
    ClusterPicture,
    Holding,
    NodeGroup,
    NodeMoment,
    RolloutFrame,
    RolloutPicture,
    Row,
    StageNode,
)
from kubelint_gpu.values import replace

NASTY = "<img src=x onerror=alert(1)>"
CLOSING = "</script><script>alert(2)</script>\"'&<!--"

GPU = Row("nvidia.com/gpu", "GPU", 2, devices=True, whole="2")
SHARES = Row("nvidia.com/gpu", "GPU share", 40, devices=True, whole="40")
CPU = Row("cpu", "CPU", 32_000, devices=False, whole="32")


def holds(age, phase, gpus, cpu, count=1, owner="vision/object-tracker"):
    return Holding(owner, age, phase, count, (gpus, cpu), "1 nvidia.com/gpu, 4 cpu")


def moment(*holdings, used, waiting=(), joined=False):
    later = NodeMoment(
        joined, (holds("new", "starting", 1, 4_000),) if joined else (), ("1 of 2" if joined else "0 of 2", "0 of 32")
    )
    return RolloutFrame((NodeMoment(True, holdings, used), later), waiting)


NEIGHBOUR = Holding("lab/notebook", "", "running", 1, (1, 0))
PICTURE = RolloutPicture(
    (StageNode("tracker-node", 1, (GPU, CPU)), StageNode("gpu-[1-3]", 3, (GPU, CPU))),
    (
        moment(holds("old", "running", 1, 4_000), NEIGHBOUR, used=("2 of 2", "4 of 32")),
        moment(
            holds("old", "running", 1, 4_000),
            NEIGHBOUR,
            used=("2 of 2", "4 of 32"),
            waiting=(Holding("vision/object-tracker", "new", "waiting", 2, (), "1 nvidia.com/gpu, 4 cpu"),),
        ),
        moment(
            holds("old", "terminating", 1, 4_000),
            holds("new", "nominated", 1, 4_000),
            NEIGHBOUR,
            used=("2 of 2", "4 of 32"),
            waiting=(Holding("vision/object-tracker", "new", "waiting", 1, (), "1 nvidia.com/gpu, 4 cpu"),),
        ),
        moment(
            holds("new", "running", 1, 4_000),
            NEIGHBOUR,
            used=("2 of 2", "4 of 32"),
            waiting=(Holding("vision/object-tracker", "new", "waiting", 1, (), "1 nvidia.com/gpu, 4 cpu"),),
            joined=True,
        ),
    ),
    (0, 1, 2, 3),
    left_out=4,
)
NASTY_PICTURE = RolloutPicture(
    (StageNode(NASTY, 1, (replace(GPU, name=NASTY, resource=NASTY),)),),
    (
        RolloutFrame(
            (NodeMoment(True, (Holding(CLOSING, "old", "running", 1, (1,), NASTY),), ("1 of 2",)),),
            (Holding(NASTY, "new", "waiting", 1, (), CLOSING),),
        ),
    ),
    (0, 0),
)
CLUSTER = ClusterPicture(
    NASTY,
    "1.34",
    207,
    complete=False,
    classes=(
        ClassPicture(
            "tracker-node",
            1,
            "2 \u00d7 NVIDIA-L4",
            "32",
            "128Gi",
            (),
            "declared unhealthy",
            cordoned=True,
            groups=(NodeGroup("tracker-node", 1, (GPU, CPU), (NEIGHBOUR,), 3),),
        ),
        ClassPicture(
            "gpu-[1-200]",
            200,
            "2 \u00d7 NVIDIA-A100",
            "",
            "",
            ("nvidia.com/gpu=present:NoSchedule", NASTY),
            "",
            cordoned=False,
            groups=(
                NodeGroup("gpu-[1-150]", 150, (GPU,), (Holding("ml/train", "", "running", 1, (2,)),)),
                NodeGroup("gpu-[151-190]", 40, (GPU,)),
            ),
            left_out=10,
        ),
        ClassPicture(
            "mig-1",
            1,
            "40 \u00d7 share",
            "32",
            "128Gi",
            (),
            "fans",
            cordoned=False,
            groups=(NodeGroup("mig-1", 1, (SHARES,)),),
        ),
        ClassPicture(
            "worker-[1-5]", 5, "", "32", "128Gi", (), "", cordoned=False, groups=(NodeGroup("worker-[1-5]", 5, ()),)
        ),
    ),
    left_out=2,
    told=((f"What cannot be lost {NASTY}", (CLOSING, NASTY)), ("If a node is drained", ("gpu-1: nothing",))),
)
WALKED = replace(DEADLOCK, picture=PICTURE)
HOSTILE = odd(
    1,
    1,
    5,
    f"a manifest named {NASTY}",
    object=f"Deployment/{NASTY}/{CLOSING}",
    name=NASTY,
    scheduler=CLOSING,
    trace=(Step(1, NASTY, CLOSING), Step(2, CLOSING, NASTY)),
    cycle=(CLOSING,),
    help=(NASTY,),
    picture=NASTY_PICTURE,
)
PAGE = replace(report(WALKED, HOSTILE, MAY_STICK, PIN, UNKNOWN_CLASS), clusters=(CLUSTER,))
