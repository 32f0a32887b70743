"""Custom resources like Jobs whose pods all have to run: those of Kubeflow, RayJob, JobSet."""

from __future__ import annotations

import pytest
from checks_units import findings
from gang_objects import POD, inventory, service, torch

SIGN = "{restartPolicy: Never, containers: [{name: a, image: a, env: [{name: MASTER_ADDR, value: a}], %s}]}"


def job(name, pods=2):
    spec = SIGN % "resources: {limits: {nvidia.com/gpu: 1}}"
    return (
        f"---\napiVersion: batch/v1\nkind: Job\nmetadata: {{name: {name}, namespace: research}}\n"
        f"spec:\n  parallelism: {pods}\n  completions: {pods}\n  template: {{spec: {spec}}}\n"
    )


def told(text, cluster):
    return [one.message for one in findings(text, cluster) if one.code in ("KLG113", "KLG109")]


def test_two_that_start_together_hold_each_other_up():
    (message,) = told(torch("a") + torch("b"), inventory(5))
    assert message.startswith(
        "started together, PyTorchJob research/a and PyTorchJob research/b can block each other for ever: "
    )
    assert message.count("of 4 pods") == 2
    assert told(torch("a") + torch("b"), inventory(7)) == []
    assert told(torch("a") + torch("b"), inventory(8)) == []


def test_one_beside_a_job():
    (message,) = told(torch("a", 1) + job("b"), inventory(2))
    assert message.startswith(
        "started together, Job research/b and PyTorchJob research/a can block each other for ever: b runs 1 "
        "of 2 pods and a runs 1 of 2 pods"
    )
    assert told(torch("a", 1) + job("b"), inventory(3)) == []


def test_a_deadline_ends_it():
    (message,) = told(torch(spec="  runPolicy: {activeDeadlineSeconds: 600}\n"), inventory(2))
    assert message.endswith(
        "the running pods wait for the rest until it fails after 600 seconds (activeDeadlineSeconds)"
    )


def test_what_is_started_whole_or_by_another_scheduler_is_not_looked_at():
    assert told(torch(pod=POD.replace("{containers", "{schedulerName: volcano, containers")), inventory(2)) == []
    assert told(torch(spec="  runPolicy: {suspend: true}\n"), inventory(2)) == []


def test_it_is_possible_only_where_there_may_be_more_nodes():
    cluster = inventory(2).replace("complete: true\n", "complete: false\n")
    (one,) = (one for one in findings(torch(), cluster) if one.code == "KLG113")
    assert (one.certainty, one.severity) == ("possible", "note")
    (one,) = (one for one in findings(torch(), inventory(2)) if one.code == "KLG113")
    assert (one.certainty, one.severity) == ("certain", "error")


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_a_service_has_its_places_before_the_pods_of_a_custom_resource(kind):
    (found,) = told(torch() + service(kind=kind), inventory(5))
    assert found.startswith(
        f"while {kind} research/s runs, PyTorchJob research/t needs its 4 pods at once and only 3 find room"
    )
    assert not told(torch() + service(kind=kind), inventory(6))


def test_where_the_pods_of_a_service_are_decides_whether_a_custom_resource_gets_all():
    (found,) = told(torch(workers=1, gpus=2) + service(), inventory(3, 3))
    assert found.startswith(
        "while Deployment research/s runs, PyTorchJob research/t needs its 2 pods at once and as few as 1 finds room on n1 "
        "and n2: the running pods may wait"
    )
    assert not told(torch(workers=1, gpus=2) + service(), inventory(4, 4))


def test_two_custom_resources_hold_each_other_on_what_a_service_leaves():
    (found,) = told(torch("a") + torch("b") + service(), inventory(8))
    assert found.startswith("started together while Deployment research/s runs, PyTorchJob research/a")
    assert not told(torch("a") + torch("b") + service(), inventory(9))


QUOTA = "resourceQuotas: [{name: q, namespace: research, hard: {requests.nvidia.com/gpu: 2}}]\n"
IN_QUEUE = "namespace: research, labels: {kueue.x-k8s.io/queue-name: q}}"


def test_a_quota_that_lets_only_a_part_of_a_job_be_made_is_named_and_not_the_nodes():
    (one,) = findings(job("a", 3), inventory(4, more=QUOTA), "KLG113")
    assert (one.certainty, one.severity) == ("certain", "warning")
    assert one.message == (
        "Job research/a needs its 3 pods at once and only 2 are made, the next one is refused by quota q, which allows 2 "
        "requests.nvidia.com/gpu and has 2 in use by its own pods: the running pods wait for the rest for ever"
    )
    assert [related.message for related in one.related][-1] == "the quota allows 2 requests.nvidia.com/gpu"


def test_a_queue_starts_a_job_whole_and_makes_no_room_for_it():
    queued = job("a", 3).replace("namespace: research}", IN_QUEUE, 1)
    assert findings(queued, inventory(4), "KLG113") == []
    for cluster in (inventory(4, more=QUOTA), inventory(2)):
        (one,) = findings(queued, cluster, "KLG113")
        assert one.certainty == "certain"
        (other,) = findings(queued.replace("spec:", "spec:\n  suspend: true", 1), cluster, "KLG113")
        assert other.message == one.message
    assert one.help == (AT_A_QUOTA,)
    assert one.message == "Job research/a needs its 3 pods at once and only 2 find room on n1, whoever admits it"


LOCAL_QUEUE = "---\n{apiVersion: kueue.x-k8s.io/v1beta1, kind: LocalQueue, metadata: {name: q, namespace: research}}\n"


def test_a_label_alone_admits_nothing_whole():
    def queued(name, more=""):
        return job(name, 3).replace("namespace: research}", IN_QUEUE, 1).replace("spec:", f"spec:{more}", 1)

    (one,) = findings(queued("a") + queued("b"), inventory(4), "KLG113")
    assert (one.certainty, one.severity) == ("possible", "note")
    begin = "unless Kueue admits each whole, which nothing here shows, started together, Job research/a and"
    assert one.message.startswith(begin)
    assert one.help[0] == "the label alone does nothing: declare the LocalQueue that it names, if Kueue is there"
    # of those that name none it is known that they hold each other up
    for others in (job("a", 3) + job("b", 3) + queued("c"), job("a", 3) + job("b", 3)):
        (sure,) = findings(others, inventory(4), "KLG113")
        assert sure.severity == "warning"
    assert findings(queued("a") + queued("b") + LOCAL_QUEUE, inventory(4), "KLG113") == []
    assert findings(queued("a", "\n  suspend: true") + queued("b"), inventory(4), "KLG113") == []
    admitted = (
        "running: [{name: p, namespace: x, node: n1, requests: {cpu: 1}, labels: {kueue.x-k8s.io/podset: main}}]\n"
    )
    assert findings(queued("a") + queued("b"), inventory(4, more=admitted), "KLG113") == []


AT_A_QUOTA = "what admits it whole looks at a quota and not at the nodes: ask for what these have, or add nodes"


def test_nor_does_it_for_a_custom_resource():
    def queued(name):
        return torch(name).replace("namespace: research}", IN_QUEUE)

    assert findings(queued("a"), inventory(4), "KLG113") == []
    (one,) = findings(queued("a"), inventory(2), "KLG113")
    assert (one.certainty, one.help) == ("certain", (AT_A_QUOTA,))
    # what is admitted whole holds nothing of what another one waits for
    assert findings(queued("a") + queued("b") + LOCAL_QUEUE, inventory(6), "KLG113") == []
    (one,) = findings(queued("a") + queued("b"), inventory(6), "KLG113")
    assert one.severity == "note"
    assert findings(queued("a") + service(), inventory(5), "KLG113") == []
