"""What is said of rollouts by themselves, and of those that start at the same moment."""

from __future__ import annotations

from checks_units import deployment, findings

KEEPS = "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
GIVES = "strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}"


def nodes(*gpus):
    told = "".join(
        f"  - name: gpu-{number}\n    allocatable: {{cpu: 16, memory: 64Gi}}\n    gpus: {{model: L4, count: {count}}}\n"
        for number, count in enumerate(gpus, 1)
    )
    return (
        'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\n'
        f"nodes:\n{told}priorityClasses:\n  - {{name: serving, value: 1000}}\n"
    )


def test_a_rollout_that_never_ends_by_itself_says_so_where_another_may_give_way():
    (found,) = findings(f"{deployment(spec=KEEPS)}---\n{deployment(name='other', spec=GIVES)}", nodes(2))
    assert (found.code, found.severity, found.certainty) == ("KLG101", "error", "certain")
    assert found.message.startswith("the rollout never ends unless others make room in time: the new pod waits for ")
    assert found.message.endswith("; Deployment serving/other changes at the same moment")
    assert found.help == (
        "rolled out at the same moment as Deployment serving/other, it ends only in a lucky order of events",
    )


def test_a_rollout_that_never_ends_in_any_company_says_it_without_reserve():
    found = findings(f"{deployment(spec=KEEPS)}---\n{deployment(name='other', spec=KEEPS)}", nodes(2))
    assert [one.code for one in found] == ["KLG101", "KLG101"]
    assert all(one.message.startswith("the rollout never ends: ") and not one.help for one in found)


def test_missing_capacity_does_not_hide_a_rollout_that_never_ends_without_the_others():
    found = findings(f"{deployment(spec=KEEPS)}---\n{deployment(name='other', spec=GIVES)}", nodes(1))
    assert [(one.code, one.certainty) for one in found if one.code == "KLG101"] == [("KLG101", "certain")]
    (stuck,) = (one for one in found if one.code == "KLG101")
    begin = "even without the other workloads, the rollout never ends: the new pod waits for 1 nvidia.com/gpu on gpu-1, held"
    assert stuck.message.startswith(begin)
    assert stuck.object == "Deployment/serving/chat"
    assert any(fix.verified and "maxSurge: 0" in fix.title for fix in stuck.fixes)
    assert "KLG109" in [one.code for one in found]


def test_missing_capacity_is_all_where_each_rollout_ends_without_the_others():
    several = "---\n".join(deployment(name=name, spec=KEEPS) for name in ("one", "other", "third"))
    assert {one.code for one in findings(several, nodes(2))} == {"KLG109"}


# each pod needs a GPU and stays away from its brother: counting does not decide whether one place is left for both
APART = (
    "topologySpreadConstraints: [{maxSkew: 1, topologyKey: kubernetes.io/hostname, whenUnsatisfiable: DoNotSchedule, "
    "labelSelector: {matchLabels: {app: NAME}}}]"
)


def apart(name):
    return deployment(name=name, spec=KEEPS, pod=APART.replace("NAME", name))


def test_rollouts_at_the_same_moment_that_the_budget_does_not_decide_are_a_note():
    text = f"{apart('chat')}---\n{apart('other')}"
    assert [found.severity for found in findings(text, nodes(1, 1, 1))] == []
    (found,) = findings(text, nodes(1, 1, 1), budget=40)
    assert (found.code, found.severity, found.certainty) == ("KLG106", "note", "possible")
    assert found.message.startswith(
        "whether the rollouts of Deployment serving/chat and Deployment serving/other end if all rollouts start at the "
        "same moment is undecided: "
    )


def test_an_undecided_group_names_only_rollouts_that_may_not_end():
    text = "---\n".join((apart("chat"), apart("other"), deployment(name="roomy", spec=GIVES)))
    (found,) = findings(text, nodes(1, 1, 1, 1), budget=40)
    names = "Deployment serving/chat and Deployment serving/other end"
    assert found.message.startswith(f"whether the rollouts of {names} if all rollouts start at the same moment is ")


def scaler(least, most):
    return (
        "---\napiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: chat, namespace: serving}\n"
        f"spec: {{minReplicas: {least}, maxReplicas: {most}, scaleTargetRef: {{apiVersion: apps/v1, kind: Deployment, "
        "name: chat}}\n"
    )


def test_a_rollout_that_never_ends_as_it_is_written_is_told_once():
    assert [found.code for found in findings(deployment() + scaler(1, 1), nodes(1))] == ["KLG101"]


def test_two_rollouts_that_begin_together_may_cost_the_lower_one_a_pod():
    low = deployment(name="low", spec=KEEPS).replace("priorityClassName: serving", "priorityClassName: low")
    cluster = f"{nodes(3)}  - {{name: low, value: 1}}\n"
    (found,) = [one for one in findings(f"{deployment(spec=KEEPS)}---\n{low}", cluster) if one.code != "KLG208"]
    assert (found.code, found.severity, found.object) == ("KLG108", "warning", "Deployment/serving/chat")
    assert found.message == (
        "begun at the same moment as others, a rollout (priority 1000) can evict 1 pod of Deployment "
        "serving/low (priority 1) from gpu-1; maxSurge starts 1 new pod while the old ones still run"
    )
    assert any("evicts" in step.message for step in found.trace)
    four = findings(f"{deployment(spec=KEEPS)}---\n{low}", f"{nodes(4)}  - {{name: low, value: 1}}\n")
    assert not [one for one in four if one.code == "KLG108"]


def test_a_pool_that_grows_and_never_takes_the_pod_leaves_a_deadlock_certain():
    def pools(count, most, growing):
        return (
            'apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nkubernetesVersion: "1.34"\npools:\n'
            f"  - name: l4\n    count: {count}\n    autoscaling: {{min: 1, max: {most}}}\n    template:\n"
            "      allocatable: {cpu: 16, memory: 64Gi}\n      gpus: {model: L4, count: 1}\n"
            f"  - name: cpu\n    count: 1\n    autoscaling: {{min: 1, max: {growing}}}\n    template:\n"
            "      allocatable: {cpu: 16, memory: 64Gi}\npriorityClasses:\n  - {name: serving, value: 1000}\n"
        )

    for inventory in (pools(1, 1, 1), pools(1, 1, 9)):
        (found,) = findings(deployment(spec=KEEPS), inventory, "KLG101")
        assert (found.severity, found.certainty) == ("error", "certain")
        assert found.message.startswith("the rollout never ends: ")
    assert [one.code for one in findings(deployment(spec=KEEPS), pools(1, 2, 9))] == ["KLG114"]
    (found,) = findings(deployment(spec=f"replicas: 3\n{GIVES}"), pools(1, 2, 9), "KLG109")
    assert (found.severity, found.certainty) == ("error", "certain")
