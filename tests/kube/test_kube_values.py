"""Names, taints, requests, priorities: the tables of the specification."""

from __future__ import annotations

from itertools import product

import pytest

from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.priority import (
    PriorityClass,
    UnknownPriorityClass,
    read_priority_class,
    resolve_priority,
)
from kubelint_gpu.kube.objects.taints import Taint, Toleration, read_taint, read_toleration, untolerated
from kubelint_gpu.kube.values.errors import InvalidObject, field_path, is_placeholder
from kubelint_gpu.kube.values.fields import Fields, described


@pytest.mark.parametrize(
    ("toleration", "taint", "tolerated"),
    [
        (Toleration(operator="Exists"), Taint("any", "x", "NoExecute"), True),
        (Toleration("a", "Exists", effect="NoExecute"), Taint("a", "x"), False),
        (Toleration("a", value="x"), Taint("a", "x"), True),
        (Toleration("a", value="x"), Taint("a", "x", "NoExecute"), True),
        (Toleration("a", "Exists", effect="NoExecute", seconds=0), Taint("a", "", "NoExecute"), True),
        (Toleration("a", value=""), Taint("a"), True),
        (Toleration("sla", "Gt", "900"), Taint("sla", "950"), False),
        (Toleration("b", "Exists"), Taint("a"), False),
    ],
)
def test_tolerations_against_taints(toleration, taint, tolerated):
    assert toleration.tolerates(taint) is tolerated


def test_taints_are_covered_as_each_toleration_by_itself_says():
    taints = [Taint(*fields) for fields in product("ab", ("", "x"), ("NoSchedule", "NoExecute"))]
    for fields in product(("", "a"), ("Equal", "Exists", "Gt"), ("", "x"), ("", "NoSchedule", "NoExecute")):
        toleration = Toleration(*fields)
        assert untolerated(taints, [toleration]) == tuple(taint for taint in taints if not toleration.tolerates(taint))


def test_the_blocking_taints_that_nothing_tolerates():
    taints = (Taint("soft", "", "PreferNoSchedule"), Taint("a", "1"), Taint("b", "2", "NoExecute"))
    assert untolerated(taints, ()) == taints[1:]
    assert untolerated(taints, (Toleration("a", "Exists"),)) == taints[2:]
    assert untolerated(taints, (Toleration(operator="Exists"),)) == ()
    assert [str(taint) for taint in taints] == ["soft:PreferNoSchedule", "a=1:NoSchedule", "b=2:NoExecute"]
    assert read_taint(Fields({"key": "a", "effect": "NoExecute"})) == Taint("a", "", "NoExecute")


@pytest.mark.parametrize(
    ("toleration", "says"),
    [
        ({"key": "a b"}, "is not a taint key"),
        ({"operator": "Equal"}, "operator must be Exists when `key` is empty"),
        ({"key": "a", "operator": "Exists", "value": "x"}, "value must be empty"),
        ({"key": "a", "value": "-x"}, "is not a taint value"),
        ({"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1}, "effect must be 'NoExecute'"),
        ({"key": "a", "operator": "Gt"}, "unsupported value"),
    ],
)
def test_broken_tolerations(toleration, says):
    with pytest.raises(InvalidObject, match=says):
        read_toleration(Fields(toleration))


def spec(containers=(), init=(), **more):
    def made(amounts):
        always = {"restartPolicy": "Always"} if isinstance(amounts, tuple) else {}
        amounts = amounts[0] if isinstance(amounts, tuple) else amounts
        key = "limits" if isinstance(amounts, dict) and "limits" in amounts else "requests"
        found = amounts.get(key, amounts) if isinstance(amounts, dict) else {"cpu": str(amounts)}
        return {"name": "c", "resources": {key: found}, **always}

    value = {"containers": [made(one) for one in containers], "initContainers": [made(one) for one in init], **more}
    return read_pod({"metadata": {"name": "p"}, "spec": value}).spec


def test_priorities_of_admission():
    classes = (
        PriorityClass("a", 5, global_default=True),
        PriorityClass("b", 3, global_default=True, preemption_policy="Never"),
    )
    assert resolve_priority(spec(), classes).name == "b"
    assert resolve_priority(spec(priorityClassName="a"), classes).value == 5
    assert resolve_priority(spec(priority=-7, preemptionPolicy="Never"), classes).value == -7
    assert resolve_priority(spec(preemptionPolicy="Never"), ()).preemption_policy == "Never"
    with pytest.raises(UnknownPriorityClass) as caught:
        resolve_priority(spec(priorityClassName="c"), classes)
    assert caught.value.name == "c"
    with pytest.raises(InvalidObject, match="PriorityClass p: value: must be an integer"):
        read_priority_class({"kind": "PriorityClass", "metadata": {"name": "p"}, "value": "high"})


def test_one_object_can_tell_all_its_errors():
    problems = []
    pod = read_pod(
        {
            "kind": "Pod",
            "metadata": {"name": 5, "labels": {"a": 1, "b": None}, "ownerReferences": ["me"]},
            "spec": {
                "priority": True,
                "hostNetwork": "yes",
                "containers": [
                    {"resources": {"requests": {"cpu": "-1", "memory": "much"}}, "ports": [{"hostPort": 70000}]}
                ],
                "tolerations": "all",
                "affinity": [],
                "restartPolicy": "Sometimes",
                "activeDeadlineSeconds": 0,
                "nodeSelector": {"a": 1.5},
            },
        },
        problems,
    )
    assert {field_path(problem.pointer) for problem in problems} == {
        "metadata.name",
        "metadata.labels.a",
        "metadata.ownerReferences[0]",
        "spec.priority",
        "spec.hostNetwork",
        "spec.containers[0].resources.requests.cpu",
        "spec.containers[0].resources.requests.memory",
        "spec.containers[0].ports[0].hostPort",
        "spec.tolerations",
        "spec.affinity",
        "spec.restartPolicy",
        "spec.activeDeadlineSeconds",
        "spec.nodeSelector.a",
    }
    assert pod.meta.labels == {"b": ""}


def test_values_are_described_in_words():
    values = (None, True, 1.5, "x" * 50, {}, [])
    assert [described(value) for value in values] == [
        "null",
        "the boolean true",
        "the number 1.5",
        f'the string "{"x" * 37}..."',
        "a mapping",
        "a list",
    ]


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [("${GPUS}", True), ("{{ .Values.gpus }}", True), ("1Gi", False), (5, False), ("$(NAME)", True)],
)
def test_placeholders_are_not_wrong_but_unknown(text, placeholder):
    assert is_placeholder(text) is placeholder
    assert InvalidObject("x", (), text).placeholder is placeholder


def test_spread_constraints_that_the_api_server_refuses():
    problems = []
    broken = {"topologyKey": "", "maxSkew": 0, "whenUnsatisfiable": "Maybe", "minDomains": 0}
    read_pod({"spec": {"topologySpreadConstraints": [broken, {}]}}, problems)
    assert [(problem.pointer[2], problem.pointer[3]) for problem in problems] == [
        (0, "topologyKey"),
        (0, "whenUnsatisfiable"),
        (0, "whenUnsatisfiable"),
        (0, "maxSkew"),
        (0, "minDomains"),
        (1, "topologyKey"),
        (1, "maxSkew"),
        (1, "whenUnsatisfiable"),
    ]
