"""Findings of one cause: when they are told as one, and the change that mends all of them."""

from __future__ import annotations

import json

import pytest

from kubelint_gpu.cli.main import invoke
from kubelint_gpu.engine.causes import told_once
from kubelint_gpu.findings.finding import ASKED, WHO, Finding, Place, Shared

CLASSES = "priorityClasses: [{name: p, value: 1000}]\n"


def cluster(nodes, gpus, classes=CLASSES):
    return (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
        f"pools:\n  - {{name: a, count: {nodes}, template: {{allocatable: {{cpu: 90, memory: 900Gi}}, "
        f"gpus: {{model: A100-SXM4-80GB, count: {gpus}}}}}}}\n{classes}"
    )


def service(number, *, replicas=1, image="x:1", priority="priorityClassName: p", selector="{}"):
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: s{number:02d}, namespace: serving}}
spec:
  replicas: {replicas}
  selector: {{matchLabels: {{app: s{number:02d}}}}}
  template:
    metadata: {{labels: {{app: s{number:02d}}}}}
    spec:
      {priority}
      nodeSelector: {selector}
      containers: [{{name: c, image: "{image}", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]
"""


@pytest.fixture
def ask(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def told(texts, inventory, *more):
        for name, text in texts.items():
            (tmp_path / name).write_text(text)
        (tmp_path / "cluster.yaml").write_text(inventory)
        options = ("-i", "cluster.yaml", "--isolated", "--output-format", "json")
        invoke(["check", next(iter(texts)), *options, *more])
        return json.loads(capsys.readouterr().out)["findings"]

    return told


def test_many_workloads_that_overcommit_one_model_are_one_finding(ask):
    text = "---\n".join(service(number, replicas=1 + number % 2) for number in range(50))
    (found,) = ask({"a.yaml": text}, cluster(4, 8))
    assert (found["code"], found["severity"], found["certainty"]) == ("KLG109", "error", "possible")
    assert found["message"].startswith(
        "50 Deployments (serving/s49, serving/s00, ...) cannot all run: they ask for 75 nvidia.com/gpu of a-1, a-2, a-3 and a-4, which have 32; "
    )
    last, *others = found["objects"]
    assert [*others, last] == [f"Deployment/serving/s{number:02d}" for number in range(50)]
    assert {one["line"] for one in found["related"] if one["path"] == "a.yaml"} > {18, 31}


def test_a_few_workloads_are_each_told(ask):
    text = "---\n".join(service(number, replicas=3) for number in range(3))
    found = ask({"a.yaml": text}, cluster(1, 2))
    assert [one["object"] for one in found] == [f"Deployment/serving/s{number:02d}" for number in range(3)]
    assert [one["objects"] for one in found] == [[one["object"]] for one in found]


def test_workloads_for_which_there_is_enough_altogether_are_each_told():
    shared = Shared("gpu", (WHO, " ask for ", ASKED), 2, 9)
    places = [Place("a.yaml", line, 1, line, 2) for line in (1, 2)]
    each = [
        Finding("KLG109", "x", "error", "certain", "short", one, f"Pod/p{one.line}", shared=shared) for one in places
    ]
    assert told_once(each) == tuple(each)


def test_what_follows_from_a_wait_is_a_line_of_the_finding_that_says_it():
    def found(code, severity, line, name, **shared):
        of_unit = {key: tuple(("a.yaml", one) for one in value) for key, value in shared.items()}
        place = Place("a.yaml", line, 1, line, 2)
        common = Shared(f"{code} {line}", (WHO,), unit="a.yaml", **of_unit)
        return Finding(code, "x", severity, "certain", f"{code} of {name}", place, f"Deployment/{name}", shared=common)

    main = found("KLG101", "error", 1, "a", waits=("a", "a at 2"))
    pin, room = (
        found("KLG203", "warning", 2, "a", follows=("a",)),
        found("KLG115", "warning", 3, "h", follows=("a at 2",)),
    )
    other, higher = (
        found("KLG203", "warning", 4, "b", follows=("b",)),
        found("KLG203", "error", 5, "a", follows=("a at 3",)),
    )
    told = told_once([other, room, pin, higher, main])
    (whole,) = (one for one in told if one.code == main.code)
    assert [(one.place.line, one.message, one.code) for one in whole.related] == [
        (3, "Deployment h: KLG115 of h (KLG115)", "KLG115"),
        (2, "KLG203 of a (KLG203)", "KLG203"),
    ]
    assert whole.others == ("Deployment/h",)
    assert {one.place.line for one in told} == {1, 4, 5}
    assert told_once([pin]) == (pin,)
    assert len(told_once([pin, found("KLG107", "note", 1, "a", waits=("a",))])) == 2


def test_what_follows_from_the_wait_of_one_template_is_a_line_of_the_finding_of_its_object():
    def found(code, severity, part, **shared):
        of_unit = {key: (("a.yaml", value),) for key, value in shared.items()}
        common = Shared(f"{code} {part}", (WHO,), unit="a.yaml", **of_unit)
        place, name = Place("a.yaml", 1, 1, 1, 2), "LeaderWorkerSet/ml/l"
        return Finding(code, "x", severity, "certain", code, place, name, cause="c", part=part, shared=common)

    leader, worker = (found("KLG101", "error", part, waits=f"l at {part}") for part in ("1", "6"))
    (whole,) = told_once([leader, worker, found("KLG115", "warning", "6", follows="l at 6")])
    assert [one.code for one in whole.related if one.code] == ["KLG115"]


def test_fixes_that_are_the_same_for_each_are_told_of_all(ask):
    text = "---\n".join(service(number, selector="{kubernetes.io/hostname: a-1}") for number in range(4))
    (found,) = [one for one in ask({"a.yaml": text}, cluster(2, 8)) if one["code"] == "KLG203"]
    assert len(found["objects"]) == 4
    assert [len(fix["edits"]) for fix in found["fixes"]] == [8]


def test_of_a_few_that_compete_for_one_room_it_is_certain_that_not_all_have_it(ask):
    text = "---\n".join(service(number) for number in range(3))
    (found,) = ask({"a.yaml": text}, cluster(1, 2))
    assert (found["code"], found["severity"], found["certainty"]) == ("KLG109", "error", "possible")
    assert found["message"].startswith(
        "Deployments serving/s00, serving/s01 and serving/s02 cannot all run: they ask for 3 nvidia.com/gpu of a-1, which has 2; "
    )
    last, *others = found["objects"]
    assert [*others, last] == [f"Deployment/serving/s{number:02d}" for number in range(3)]
    assert found["object"] == last


@pytest.mark.parametrize(
    ("low", "named", "certainty"), [(0, "s00", "certain"), (1, "s01", "certain"), (None, "s01", "possible")]
)
def test_of_those_that_compete_for_one_room_that_of_the_lowest_priority_is_named(low, named, certainty):
    """Seen on a control plane 1.34: of two of one priority once the one has the room, once the other."""

    def short(number):
        priority = 0 if number == low else 1000
        shared = Shared("gpu", (WHO, " ask for ", ASKED), 2, 3, priority)
        name, place = f"Deployment/serving/s{number:02d}", Place("a.yaml", number + 1, 1, number + 1, 2)
        return Finding("KLG109", "scale-up-pending", "warning", "possible", "short", place, name, shared=shared)

    (found,) = told_once([short(0), short(1)])
    assert (found.object.rpartition("/")[2], found.certainty, found.severity) == (named, certainty, "error")
    assert found.message == "Deployments serving/s00 and serving/s01 ask for 4"


def test_of_those_that_compete_the_one_that_the_others_evict_has_no_room(ask):
    def text(**changed):
        pool = service(1, **changed).replace("kind: Deployment", "kind: ReplicaSet")
        return f"{service(0, priority='')}---\n{pool}"

    before, after = text(replicas=2, priority="restartPolicy: Always"), text(replicas=3)
    found = ask({"a.yaml": after, "before.yaml": before}, cluster(1, 3), "--against", "./before.yaml")
    (short,) = [one for one in found if one["code"] == "KLG109"]
    assert short["objects"] == ["Deployment/serving/s00"]
    assert (short["severity"], short["certainty"]) == ("error", "certain")


def test_quotas_of_one_name_in_two_namespaces_are_two_causes(ask):
    quota = "---\napiVersion: v1\nkind: ResourceQuota\nmetadata: {name: q, namespace: %s}\nspec: {hard: {pods: 1}}\n"
    text = "---\n".join(service(number) for number in range(2)) + quota % "serving"
    other = text.replace("namespace: serving", "namespace: batch")
    found = ask({"a.yaml": f"{text}---\n{other}"}, cluster(9, 2))
    assert [(one["severity"], one["message"].partition(";")[0]) for one in found if one["code"] == "KLG109"] == [
        (
            "error",
            f"Deployments {name}/s00 and {name}/s01 cannot all run: they ask for 2 pods under quota q, which allows 1",
        )
        for name in ("serving", "batch")
    ]


@pytest.mark.parametrize("number", [2, 5])
def test_where_there_may_be_more_nodes_nothing_is_certain_of_what_competes(ask, number):
    text = "---\n".join(service(one) for one in range(number))
    found = ask({"a.yaml": text}, cluster(1, 1, f"{CLASSES}complete: false\n"))
    assert {(one["code"], one["severity"], one["certainty"]) for one in found} <= {("KLG109", "warning", "possible")}


def test_what_is_said_of_many_in_the_same_words_is_said_once(ask):
    text = "---\n".join(service(number, selector="{pool: gone}") for number in range(5))
    (found,) = ask({"a.yaml": text}, cluster(1, 8))
    assert found["code"] == "KLG402"
    assert found["message"].startswith("5 Deployments (serving/s00, serving/s01, ...): no node of the inventory ")


@pytest.mark.parametrize("number", [2, 4])
def test_services_that_hang_together_in_one_apply_get_the_joint_fix(ask, number):
    before, after = ("---\n".join(service(one, image=image) for one in range(number)) for image in ("x:1", "x:2"))
    every = ask({"a.yaml": after, "before.yaml": before}, cluster(1, number), "--against", "./before.yaml")
    assert len(every) == (1 if number > 3 else number)
    for found in every:
        assert found["code"] == "KLG101"
        titles = [fix["title"].partition(",")[0] for fix in found["fixes"] if fix["verified"]]
        assert titles[0] == "set maxSurge: 0 and maxUnavailable: 1 in all of them"
        assert len(found["fixes"][0]["edits"]) == number


def test_missing_priority_is_one_note_where_priorities_are_not_at_work(ask):
    text = "---\n".join(service(number, priority="hostIPC: false") for number in range(3))
    (found,) = ask({"a.yaml": text}, cluster(4, 8, ""))
    assert (found["code"], found["severity"]) == ("KLG301", "note")
    assert found["message"].startswith("Deployments serving/s00, serving/s01 and serving/s02 have no priorityClassName")
    assert len(found["objects"]) == 3


def test_missing_priority_is_a_warning_where_others_of_another_priority_compete(ask):
    text = "---\n".join([service(0, priority="hostIPC: false"), service(1, priority="hostIPC: false"), service(2)])
    (found,) = [one for one in ask({"a.yaml": text}, cluster(4, 8)) if one["code"] == "KLG301"]
    assert (found["severity"], len(found["objects"])) == ("warning", 2)


def test_missing_priority_of_pods_that_wait_for_those_of_others_is_a_line_of_that_finding(ask):
    text = "---\n".join(service(number, priority="hostIPC: false") for number in range(3))
    every = ask({"a.yaml": text}, cluster(1, 2, ""))
    assert {one["code"] for one in every} == {"KLG109"}
    assert [one for found in every for one in found["related"] if "(KLG301)" in one["message"]]
    (alone,) = [
        one
        for one in ask({"a.yaml": service(0, priority="hostIPC: false")}, cluster(1, 1, ""))
        if one["code"] == "KLG301"
    ]
    assert alone["severity"] == "note"


def test_a_line_for_each_finding(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.yaml").write_text(service(1, selector="{pool: gone}"))
    (tmp_path / "cluster.yaml").write_text(cluster(1, 8))
    options = ["check", "a.yaml", "-i", "cluster.yaml", "--isolated", "--output-format", "concise"]
    assert invoke([*options, "-q"]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("a.yaml:11:22: error[KLG402] Deployment serving/s01: no node of the inventory ")
    invoke(options)
    assert capsys.readouterr().out.splitlines() == [line, "1 file, 1 workload checked: 1 error"]


def waiting_for_port(name, port, node=1):
    return f"""apiVersion: apps/v1
kind: Deployment
metadata: {{name: {name}, namespace: ml}}
spec:
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      priorityClassName: p
      nodeSelector: {{kubernetes.io/hostname: a-{node}}}
      containers: [{{name: c, image: "x:1", ports: [{{containerPort: 80, hostPort: {port}}}]}}]
"""


@pytest.mark.parametrize("number", [4])
def test_rollouts_that_never_end_for_each_other_are_one_finding(ask, tmp_path, number):
    names, before = "abcde"[:number], range(1, number + 1)
    after = [*before[1:], before[0]]
    (tmp_path / "old.yaml").write_text("---\n".join(map(waiting_for_port, names, before)))
    text = "---\n".join(map(waiting_for_port, names, after))
    (found,) = ask({"a.yaml": text}, cluster(1, 8), "--against", "old.yaml")
    assert (found["code"], found["certainty"]) == ("KLG102", "certain")
    listed = [f"ml/{name}" for name in names]
    assert found["message"] == (
        f"the rollouts of Deployments {', '.join(listed[:-1])} and {listed[-1]} never end: their new pods wait for a "
        "host port on a-1, held by their old pods, and the old pods are kept until the new ones are available"
    )
    assert [(fix["safety"], fix["verified"]) for fix in found["fixes"]] == [("safe", True), ("unsafe", True)]
    assert all("in all of them" in fix["title"] for fix in found["fixes"])
    told = [one["message"] for one in found["trace"] if one["actor"] == "cycle"]
    assert told[:number] == [
        f"Deployment ml/{name}: the new pod waits for host port {port} on a-1, held by Deployment ml/{other}"
        for name, port, other in zip(names, after, [*names[1:], names[0]], strict=True)
    ]


@pytest.mark.parametrize(("before", "after"), [((1, 2), (2, 1)), ((1, 2, 3), (2, 3, 1))])
def test_a_few_rollouts_that_never_end_for_each_other_are_each_told(ask, tmp_path, before, after):
    (tmp_path / "old.yaml").write_text("---\n".join(map(waiting_for_port, "abc", before)))
    text = "---\n".join(map(waiting_for_port, "abc", after))
    every = ask({"a.yaml": text}, cluster(1, 8), "--against", "old.yaml")
    assert [one["object"] for one in every] == [f"Deployment/ml/{name}" for name in "abc"[: len(after)]]
    for found in every:
        assert (found["code"], found["certainty"]) == ("KLG102", "certain")
        assert [(fix["safety"], fix["verified"]) for fix in found["fixes"]] == [("safe", True), ("unsafe", True)]


AT_HOME, MOVED = (("a", 80, 1), ("b", 80, 2)), (("a", 80, 2), ("b", 80, 1))


def test_each_of_those_that_wait_for_each_other_is_told_of_its_own_node(ask, tmp_path):
    old, new = ("---\n".join(waiting_for_port(*one) for one in nodes) for nodes in (AT_HOME, MOVED))
    (tmp_path / "old.yaml").write_text(old)
    found, _ = ask({"a.yaml": new}, cluster(2, 8), "--against", "old.yaml")
    steps = [one["message"] for one in found["trace"] if "cannot place" in one["message"]]
    assert steps == [
        f"cannot place the new pod of Deployment ml/{name}: a-{node} didn't have free ports for the requested pod ports"
        for name, node in (("a", 2), ("b", 1))
    ]


def test_pods_of_several_workloads_that_are_kept_apart_are_one_finding(ask):
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: [{labelSelector: {matchLabels: "
        "{tier: web}}, topologyKey: kubernetes.io/hostname}]}}"
    )
    texts = [service(number).replace(": 1}}}]", ": 1}}}]\n      " + apart) for number in range(4)]
    text = "---\n".join(texts).replace("labels: {app", "labels: {tier: web, app")
    (found,) = ask({"a.yaml": text}, cluster(2, 8))
    assert found["message"] == (
        "not all pods of Deployments serving/s00, serving/s01, serving/s02 and serving/s03 can run on a-1 and a-2: pods are kept apart, "
        "whatever the strategy: this is no rollout deadlock"
    )


def alone_on_a_node(number):
    apart = (
        "affinity: {podAntiAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
        "[{topologyKey: kubernetes.io/hostname, labelSelector: {matchLabels: {tier: db}}}]}}"
    )
    text = service(number, priority=f"priorityClassName: p\n      {apart}").replace("nvidia.com/gpu", "cpu")
    return text.replace(f"labels: {{app: s{number:02d}}}", f"labels: {{app: s{number:02d}, tier: db}}")


def with_host_port(number):
    text = service(number).replace("nvidia.com/gpu", "cpu")
    return text.replace('image: "x:1"', 'image: "x:1", ports: [{containerPort: 80, hostPort: 80}]')


@pytest.mark.parametrize("make", [alone_on_a_node, with_host_port])
@pytest.mark.parametrize(("number", "nodes", "certain"), [(2, 1, True), (3, 2, True), (5, 4, True), (2, 2, None)])
def test_of_a_few_that_cannot_share_a_node_it_is_certain_that_not_all_run(ask, make, number, nodes, certain):
    found = ask({"a.yaml": "---\n".join(map(make, range(number)))}, cluster(nodes, 1))
    told = [one for one in found if one["code"] == "KLG109"]
    assert [(one["severity"], one["certainty"]) for one in told] == ([("error", "possible")] if certain else [])
    for one in told:
        assert one["message"].startswith("not all pods of ")
        assert len(one["objects"]) == number


def test_a_job_that_ends_takes_no_place_from_another_for_ever(ask):
    job = """apiVersion: batch/v1
kind: Job
metadata: {name: j, namespace: serving}
spec:
  template:
    spec:
      priorityClassName: p
      restartPolicy: Never
      containers: [{name: c, image: "x:1", ports: [{containerPort: 80, hostPort: 80}]}]
"""
    found = ask({"a.yaml": f"{with_host_port(0)}---\n{job}"}, cluster(1, 1))
    assert [one["object"] for one in found if one["code"] == "KLG109"] == ["Job/serving/j"]


def test_of_a_few_that_want_one_device_the_devices_are_counted(ask):
    template = """---
apiVersion: resource.k8s.io/v1
kind: ResourceClaimTemplate
metadata: {name: gpu, namespace: serving}
spec: {spec: {devices: {requests: [{name: g, exactly: {deviceClassName: gpu.nvidia.com}}]}}}
"""
    claims = "priorityClassName: p\n      resourceClaims: [{name: g, resourceClaimTemplateName: gpu}]"
    text = "---\n".join(
        service(number, priority=claims).replace("limits: {nvidia.com/gpu: 1}", "claims: [{name: g}]")
        for number in range(2)
    )
    nodes = cluster(1, 1).replace("gpus: {", "devices: [{").replace("count: 1}}", "count: 1}]}")
    *stuck, found = ask({"a.yaml": text + template}, nodes)
    assert {(one["code"], one["severity"], one["certainty"]) for one in stuck} == {("KLG101", "error", "certain")}
    assert (found["code"], found["severity"], found["certainty"]) == ("KLG109", "error", "possible")
    assert "ask for 2 devices of class gpu.nvidia.com of a-1, which has 1; " in found["message"]


CLAIM = """---
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data, namespace: serving}
spec: {accessModes: [%s], storageClassName: block, resources: {requests: {storage: 1Gi}}}
"""
BLOCK = "storageClasses: [{name: block, provisioner: ebs.csi.aws.com, volumeBindingMode: WaitForFirstConsumer}]\n"


@pytest.mark.parametrize(("mode", "codes"), [("ReadWriteOnce", ["KLG106", "KLG109"]), ("ReadWriteMany", [])])
def test_a_job_that_waits_for_the_claim_of_two_rollouts_has_its_own_finding(ask, mode, codes):
    volume = "volumes: [{name: v, persistentVolumeClaim: {claimName: data}}]\n      containers:"
    with_claim = [
        service(number).replace("containers:", volume).replace("nvidia.com/gpu", "cpu") for number in range(3)
    ]
    for number in (0, 1):
        with_claim[number] = with_claim[number].replace("replicas: 1", "strategy: {type: Recreate}")
    job = with_claim[2].replace("apps/v1", "batch/v1").replace("Deployment", "Job").replace("  replicas: 1\n", "")
    job = job.replace("  selector: {matchLabels: {app: s02}}\n", "").replace(
        "spec:\n      p", "spec:\n      restartPolicy: Never\n      p"
    )
    text = "---\n".join((*with_claim[:2], job)) + CLAIM % mode
    found = ask({"a.yaml": text}, cluster(3, 1) + BLOCK, "--select", "KLG1")
    assert [one["code"] for one in found] == codes


@pytest.mark.parametrize(
    ("classes", "advice"),
    [
        ("", "declare a PriorityClass above 1000 for GPU workloads"),
        (", {name: top, value: 2000}", "set priorityClassName to top"),
    ],
)
def test_a_service_is_not_advised_to_take_a_class_with_which_batch_work_evicts_it(ask, capsys, classes, advice):
    job = service(1).replace("apps/v1", "batch/v1").replace("Deployment", "Job").replace("  replicas: 1\n", "")
    job = job.replace("  selector: {matchLabels: {app: s01}}\n", "").replace(
        "priorityC", "restartPolicy: Never\n      priorityC"
    )
    text = "---\n".join((service(0, priority=""), job))
    known = CLASSES.replace("}]", f"}}{classes}]")
    ask({"a.yaml": text}, cluster(4, 1, known))
    invoke(["check", "a.yaml", "-i", "cluster.yaml", "--isolated", "--select", "KLG301"])
    assert f"= help: {advice}" in capsys.readouterr().out
