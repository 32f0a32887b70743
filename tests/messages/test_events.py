"""What may happen to a cluster, as the rest of a sentence."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.objects.meta import Owner
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.taints import Taint
from kubelint_gpu.messages.events import OLD, SIBLING, owner_text, told
from kubelint_gpu.scheduler.explain.cluster_changes import (
    CapacityGrows,
    LabelSet,
    PodsEnd,
    QuotaGrows,
    TaintGoes,
    Uncordoned,
)

MINE, TRAIN, BARE = Owner("Deployment", "ml", "chat"), Owner("Job", "ml", "train"), Owner("Pod", "ml", "notebook")

RUNNING = ((read_pod({"metadata": {"name": "p"}, "spec": {"containers": [{"name": "c"}]}}), "n"),)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ((Uncordoned(),), "it is uncordoned"),
        ((TaintGoes(Taint("a", "b")),), "the taint a=b:NoSchedule goes"),
        ((LabelSet("zone", "a"), LabelSet("disk", "ssd")), "the labels zone=a and disk=ssd are set"),
        ((CapacityGrows("nvidia.com/gpu", 2, 1),), "it has 2 nvidia.com/gpu (now 1)"),
        ((QuotaGrows("team", "pods", 3000, 2000),), "ResourceQuota team allows pods=3 (now 2)"),
        ((PodsEnd(RUNNING, ((TRAIN, 1),)),), "a pod of Job ml/train ends"),
        ((PodsEnd(RUNNING, ((TRAIN, 2), (BARE, 1))),), "2 pods of Job ml/train and the pod ml/notebook end"),
        ((PodsEnd(RUNNING, ((MINE, 1),)),), "an old pod ends"),
        ((Uncordoned(), TaintGoes(Taint("a"))), "it is uncordoned and the taint a:NoSchedule goes"),
    ],
)
def test_a_change_reads_as_the_rest_of_it_would_fit_if(changes, says):
    assert told(changes, MINE) == says


def test_pods_of_very_many_owners_are_counted():
    owners = tuple((Owner("Job", "ml", f"train-{number}"), number) for number in range(1, 6))
    assert told((PodsEnd(RUNNING, owners),)) == "15 pods of 5 owners end"


def test_the_workloads_own_pods_have_names_of_their_own():
    assert owner_text(MINE) == "Deployment ml/chat"
    assert [owner_text(MINE, MINE, own) for own in (OLD, SIBLING)] == ["an old pod", "another pod of its own"]
