"""Quantities, names, selectors, taints, requests, priorities: the tables of the specification."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.kube.objects.meta import read_meta
from kubelint_gpu.kube.objects.pod import read_pod
from kubelint_gpu.kube.objects.priority import (
    PriorityClass,
    UnknownPriorityClass,
    read_priority_class,
    resolve_priority,
)
from kubelint_gpu.kube.objects.requests import is_extended, is_scheduled, pod_requests, running_requests
from kubelint_gpu.kube.objects.taints import Taint, Toleration, first_untolerated, read_taint, read_toleration
from kubelint_gpu.kube.values.errors import InvalidObject, field_path, is_placeholder
from kubelint_gpu.kube.values.fields import Fields, described
from kubelint_gpu.kube.values.frozen import FrozenMap, freeze
from kubelint_gpu.kube.values.names import is_label_value, is_qualified_name, is_subdomain
from kubelint_gpu.kube.values.quantity import QuantityError, parse_quantity, scheduler_units, shown, thousandths
from kubelint_gpu.kube.values.selectors import Requirement, parse_int64, read_label_selector, read_node_selector


@pytest.mark.parametrize(
    ("text", "resource", "units"),
    [
        ("0.1", "cpu", 100),
        ("100m", "cpu", 100),
        ("100.5m", "cpu", 101),
        ("1001u", "cpu", 2),
        ("1n", "cpu", 1),
        (2, "cpu", 2000),
        (0.5, "cpu", 500),
        ("128974848", "memory", 128974848),
        ("129e6", "memory", 129000000),
        ("129M", "memory", 129000000),
        ("123Mi", "memory", 128974848),
        ("0.5", "memory", 1),
        ("100m", "memory", 1),
        ("1E", "memory", 10**18),
        ("1E3", "memory", 1000),
        ("1e-3", "memory", 1),
        ("+2", "nvidia.com/gpu", 2),
        (".5Ki", "memory", 512),
        ("1.", "pods", 1),
    ],
)
def test_a_quantity_in_the_schedulers_units(text, resource, units):
    assert scheduler_units(resource, thousandths(text)) == units


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1K", "k or Ki"),
        ("1 Gi", "a number, then nothing"),
        (" 1Gi", 'write "1Gi" without spaces'),
        ("1GB", "G or Gi"),
        ("1gi", "Gi"),
        ("1g", "G or Gi"),
        ("8 core", "a number, then nothing"),
        ("", "a number, then nothing"),
        ("1_000", "a number, then nothing"),
        ("٣", "a number, then nothing"),
        ("1e9999", "the exponent"),
        (True, "not the boolean"),
        ([1], "must be a quantity"),
    ],
)
def test_a_text_that_is_no_quantity_is_told_what_would_be_one(text, hint):
    with pytest.raises(QuantityError, match=hint):
        thousandths(text)


@given(st.integers(0, 10**30))
def test_integers_are_exact(number):
    assert parse_quantity(number) == parse_quantity(str(number)) == Fraction(number)


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 2000, "2"),
        ("memory", 16 * 2**30, "16Gi"),
        ("memory", 1000, "1000"),
        ("memory", 0, "0"),
        ("hugepages-2Mi", 2**21, "2Mi"),
        ("nvidia.com/gpu", 1024, "1024"),
    ],
)
def test_amounts_are_shown_as_a_person_writes_them(resource, amount, text):
    assert shown(resource, amount) == text


@pytest.mark.parametrize(
    ("operator", "values", "labels", "matches"),
    [
        ("In", ("a",), {}, False),
        ("In", ("a", "b"), {"k": "b"}, True),
        ("NotIn", ("a",), {}, True),
        ("NotIn", ("a",), {"k": "a"}, False),
        ("Exists", (), {"k": ""}, True),
        ("Exists", (), {}, False),
        ("DoesNotExist", (), {}, True),
        ("DoesNotExist", (), {"k": ""}, False),
        ("Gt", ("4",), {"k": "8"}, True),
        ("Gt", ("4",), {"k": "4"}, False),
        ("Gt", ("4",), {"k": "8Gi"}, False),
        ("Gt", ("4",), {}, False),
        ("Gt", ("x",), {"k": "8"}, False),
        ("Gt", ("1", "2"), {"k": "8"}, False),
        ("Lt", ("4",), {"k": "3"}, True),
        ("In", ("A",), {"k": "a"}, False),
    ],
)
def test_one_requirement_against_labels(operator, values, labels, matches):
    assert Requirement("k", operator, values).matches(labels) is matches


@pytest.mark.parametrize(
    ("text", "number"),
    [("8", 8), ("-3", -3), ("+3", 3), (" 8", None), ("1_0", None), ("8Gi", None), (str(2**63), None), ("9" * 30, None)],
)
def test_integers_are_read_as_go_reads_them(text, number):
    assert parse_int64(text) == number


def selector(value):
    return read_label_selector(Fields({"s": value}).child("s"))


def test_an_absent_selector_and_an_empty_one_are_opposites():
    assert selector(None) is None
    assert selector({}).matches({"any": "thing"})
    both = selector({"matchLabels": {"a": "1"}, "matchExpressions": [{"key": "b", "operator": "Exists"}]})
    assert both.keys == {"a", "b"}
    assert both.matches({"a": "1", "b": ""})
    assert not both.matches({"a": "1"})


@pytest.mark.parametrize(
    ("expression", "field", "detail"),
    [
        ({"key": "a", "operator": "Is"}, "operator", "use one of In, NotIn, Exists, DoesNotExist"),
        ({"key": "a"}, "operator", "an empty operator"),
        ({"key": "a b", "operator": "Exists"}, "key", "is not a label key"),
        ({"key": "a", "operator": "In"}, "values", "must be specified"),
        ({"key": "a", "operator": "Exists", "values": ["x"]}, "values", "may not be specified"),
        ({"key": "a", "operator": "In", "values": ["-x"]}, "values[0]", "is not a label value"),
        ({"key": "a", "operator": "In", "values": [1]}, "values[0]", "quote it"),
    ],
)
def test_a_broken_selector_is_an_error_at_its_field(expression, field, detail):
    with pytest.raises(InvalidObject) as caught:
        selector({"matchExpressions": [expression]})
    assert str(caught.value).startswith(f"s.matchExpressions[0].{field}: ")
    assert detail in caught.value.detail


@pytest.mark.parametrize(
    ("terms", "matches"),
    [
        ([], False),
        ([{}], False),
        ([{}, {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["ssd"]}]}], True),
        ([{"matchExpressions": [{"key": "disk", "operator": "Gt", "values": ["x"]}]}], False),
        ([{"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n"]}]}], True),
        ([{"matchFields": [{"key": "metadata.name", "operator": "NotIn", "values": ["n"]}]}], False),
    ],
)
def test_node_selector_terms(terms, matches):
    assert read_node_selector(Fields({"nodeSelectorTerms": terms})).matches({"disk": "ssd"}, "n") is matches


def test_without_a_name_fields_are_not_looked_at():
    term = {
        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["other"]}],
        "matchExpressions": [{"key": "disk", "operator": "Exists"}],
    }
    found = read_node_selector(Fields({"nodeSelectorTerms": [term]}))
    assert found.matches({"disk": ""}, None)
    assert not found.matches({"disk": ""}, "n")


@pytest.mark.parametrize(
    ("field", "says"),
    [
        ({"key": "metadata.uid", "operator": "In", "values": ["n"]}, "only metadata.name is"),
        ({"key": "metadata.name", "operator": "Exists", "values": ["n"]}, "use In or NotIn"),
        ({"key": "metadata.name", "operator": "In", "values": ["n", "m"]}, "only one value"),
        ({"key": "metadata.name", "operator": "In"}, "only one value"),
    ],
)
def test_broken_field_selectors(field, says):
    with pytest.raises(InvalidObject, match=says):
        read_node_selector(Fields({"nodeSelectorTerms": [{"matchFields": [field]}]}))


def test_several_values_of_gt_are_an_error():
    expression = {"key": "a", "operator": "Gt", "values": ["1", "2"]}
    with pytest.raises(InvalidObject, match="single value"):
        read_node_selector(Fields({"nodeSelectorTerms": [{"matchExpressions": [expression]}]}))


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


def test_the_first_blocking_taint_that_nothing_tolerates():
    taints = (Taint("soft", "", "PreferNoSchedule"), Taint("a", "1"), Taint("b", "2", "NoExecute"))
    assert first_untolerated(taints, ()) == taints[1]
    assert first_untolerated(taints, (Toleration("a", "Exists"),)) == taints[2]
    assert first_untolerated(taints, (Toleration(operator="Exists"),)) is None
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


@pytest.mark.parametrize(
    ("given", "cpu"),
    [
        (spec([1, 1.5], [2]), 2500),
        (spec([1], [(1,), 2]), 3000),
        (spec([1], [2, (1,)]), 2000),
        (spec([0.1], [(1,), (2,), 4, 5]), 8000),
        (spec([{"limits": {"cpu": "500m"}}]), 500),
        (spec([1], overhead={"cpu": "250m"}), 1250),
        (spec([1], resources={"requests": {"cpu": "3"}}, overhead={"cpu": "250m"}), 3250),
        (spec([1], resources={"limits": {"cpu": "4"}}), 1000),
        (spec([{"memory": "1Gi"}], resources={"limits": {"cpu": "4"}}), 4000),
        (spec([1], resources={"requests": {"nvidia.com/gpu": "3"}}), 1000),
    ],
)
def test_what_a_pod_asks_for(given, cpu):
    assert pod_requests(given)["cpu"] == cpu


def test_memory_comes_from_containers_where_the_pod_level_says_nothing_of_it():
    found = pod_requests(
        spec([{"cpu": "1", "memory": "500m"}, {"memory": "500m"}], resources={"requests": {"cpu": "3"}})
    )
    assert found == {"cpu": 3000, "memory": 1}
    before = spec([1], resources={"requests": {"cpu": "3", "hugepages-2Mi": "2Mi"}})
    assert pod_requests(before, pod_level=False) == {"cpu": 1000}
    assert pod_requests(before) == {"cpu": 3000, "hugepages-2Mi": 2**21}


@pytest.mark.parametrize(
    ("resource", "scheduled", "extended"),
    [
        ("cpu", True, False),
        ("storage", False, False),
        ("gpu", False, False),
        ("nvidia.com/gpu", True, True),
        ("requests.nvidia.com/gpu", False, False),
        ("hugepages-1Gi", True, False),
        ("pods.kubernetes.io/x", True, False),
        ("attachable-volumes-csi-x", True, False),
        ("a//b", False, False),
    ],
)
def test_which_resources_the_scheduler_counts(resource, scheduled, extended):
    assert (is_scheduled(resource), is_extended(resource)) == (scheduled, extended)


def resized(status, conditions=()):
    return read_pod(
        {
            "metadata": {"name": "p"},
            "spec": {"containers": [{"name": "c", "resources": {"requests": {"cpu": "1", "memory": "1Gi"}}}]},
            "status": {"containerStatuses": [{"name": "c", **status}], "conditions": list(conditions)},
        }
    )


INFEASIBLE = {"type": "PodResizePending", "status": "True", "reason": "Infeasible"}


@pytest.mark.parametrize(
    ("pod", "cpu"),
    [
        (resized({"allocatedResources": {"cpu": "2"}, "resources": {"requests": {"cpu": "3"}}}), 3000),
        (resized({"allocatedResources": {"cpu": "500m"}}), 1000),
        (resized({"allocatedResources": {"cpu": "500m"}}, [INFEASIBLE]), 500),
        (resized({}), 1000),
    ],
)
def test_a_pod_that_is_resized_in_place_holds_the_largest_of_all(pod, cpu):
    assert running_requests(pod)["cpu"] == cpu
    assert running_requests(pod, in_place=False)["cpu"] == 1000


def test_a_container_without_status_holds_what_it_asks_for():
    pod = resized({"name": "other", "allocatedResources": {"cpu": "9"}})
    assert running_requests(pod) == {"cpu": 1000, "memory": 2**30}


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


def test_frozen_maps_do_not_change_and_can_be_keys():
    found = freeze({"a": [1, {"b": 2}]})
    assert {found: 1}[FrozenMap(a=(1, FrozenMap(b=2)))] == 1
    for change in (lambda: found.update(a=1), lambda: found.pop("a"), lambda: found.__setitem__("a", 1), found.clear):
        with pytest.raises(TypeError, match="does not change"):
            change()
    assert FrozenMap.__reduce__(found)[0] is FrozenMap


def test_names():
    assert is_label_value("")
    assert not is_label_value("a" * 64)
    assert is_qualified_name("example.com/name")
    assert not is_qualified_name("Example.com/name")
    assert not is_qualified_name("/name")
    assert not is_qualified_name("a" * 64)
    assert is_subdomain("a.b-c")
    assert not is_subdomain("A")


@pytest.mark.parametrize(
    ("text", "placeholder"),
    [("${GPUS}", True), ("{{ .Values.gpus }}", True), ("1Gi", False), (5, False), ("$(NAME)", True)],
)
def test_placeholders_are_not_wrong_but_unknown(text, placeholder):
    assert is_placeholder(text) is placeholder
    assert InvalidObject("x", (), text).placeholder is placeholder


def test_the_controller_among_the_owners_is_the_owner():
    owners = [{"kind": "A", "name": "a"}, {"kind": "B", "name": "b", "controller": True}, {"kind": "C", "name": "c"}]
    assert read_meta(Fields({"name": "x", "ownerReferences": owners})).owner.kind == "B"


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
