"""What stands in the place of values that something fills in later."""

from __future__ import annotations

from copy import deepcopy

import pytest

from kubelint_gpu.kube.objects.relaxation import relaxed

_TERMS = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms", 0)
_SECOND = {"key": "gpu", "value": "${V}", "effect": "${E}"}
_POD = {
    "nodeName": "${NODE}",
    "priorityClassName": "${CLASS}",
    "nodeSelector": {"zone": "${ZONE}", "pool": "gpu"},
    "tolerations": [{"key": "${KEY}", "operator": "Exists"}, _SECOND],
    "topologySpreadConstraints": [{"topologyKey": "${KEY}", "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule"}],
    "containers": [{"resources": {"limits": {"nvidia.com/gpu": "${GPUS}"}}}],
    "affinity": {
        "nodeAffinity": {
            _TERMS[2]: {
                "nodeSelectorTerms": [
                    {
                        "matchExpressions": [{"key": "a", "operator": "In", "values": ["${A}"]}, {"key": "b"}],
                        "matchFields": [{"key": "metadata.name", "operator": "In", "values": ["${NODE}"]}],
                    }
                ]
            }
        },
        "podAffinity": {_TERMS[2]: [{"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "${APP}"}}}]},
        "podAntiAffinity": {_TERMS[2]: [{"topologyKey": "${KEY}"}]},
    },
}


def value_at(value, pointer):
    for part in pointer:
        value = value[part]
    return value


@pytest.mark.parametrize(
    ("pointer", "at", "least"),
    [
        (("nodeSelector", "zone"), ("nodeSelector",), {"pool": "gpu"}),
        (("tolerations", 0, "key"), ("tolerations",), [{"operator": "Exists"}, _SECOND]),
        (("tolerations",), ("tolerations",), [{"operator": "Exists"}]),
        (("tolerations", 1, "value"), ("tolerations", 1), {"key": "gpu", "effect": "${E}", "operator": "Exists"}),
        (("tolerations", 1, "effect"), ("tolerations", 1), {"key": "gpu", "value": "${V}"}),
        (
            ("topologySpreadConstraints", 0, "topologyKey"),
            ("topologySpreadConstraints", 0),
            {"topologyKey": "kubernetes.io/hostname", "maxSkew": 1, "whenUnsatisfiable": "ScheduleAnyway"},
        ),
        (("containers", 0, "resources", "limits", "nvidia.com/gpu"), ("containers", 0, "resources", "limits"),
         {"nvidia.com/gpu": "1"}),
        (
            (*_TERMS, "matchExpressions", 0, "values", 0),
            (*_TERMS, "matchExpressions"),
            [{"key": "filled-in-later", "operator": "DoesNotExist"}, {"key": "b"}],
        ),
        (
            (*_TERMS, "matchFields", 0, "values", 0),
            (*_TERMS, "matchFields", 0),
            {"key": "metadata.name", "operator": "NotIn", "values": ["filled in later"]},
        ),
        (("affinity", "podAffinity", _TERMS[2], 0, "labelSelector", "matchLabels", "app"),
         ("affinity", "podAffinity"), {}),
        (("affinity", "podAntiAffinity", _TERMS[2], 0, "topologyKey"),
         ("affinity", "podAntiAffinity"), {}),
    ],
)  # fmt: skip
def test_what_is_not_known_demands_the_least_and_all_else_stays(pointer, at, least):
    before = deepcopy(_POD)
    found = relaxed(_POD, [pointer])
    assert value_at(found, at) == least
    assert before == _POD
    *above, last = at
    value_at(found, above)[last] = value_at(_POD, at)
    assert found == _POD


@pytest.mark.parametrize("kind", ["podAffinity", "podAntiAffinity"])
def test_a_preferred_term_leaves_the_required_ones(kind):
    terms = {_TERMS[2]: [{"topologyKey": "zone"}]}
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    term = {"weight": 1, "podAffinityTerm": {"topologyKey": "${KEY}"}}
    found = relaxed(
        {"affinity": {kind: {**terms, preferred: [term]}}},
        [("affinity", kind, preferred, 0, "podAffinityTerm", "topologyKey")],
    )
    assert found["affinity"][kind][_TERMS[2]] == terms[_TERMS[2]]
    assert found["affinity"][kind][preferred][0]["podAffinityTerm"] == {"topologyKey": "kubernetes.io/hostname"}


def test_a_field_without_a_least_value_is_left_out():
    assert "nodeName" not in relaxed(_POD, [("nodeName",)])


def test_members_that_wait_for_nobody_demand_less():
    spec = {"spec": {"podManagementPolicy": "${POLICY}", "replicas": 2}}
    found = relaxed(spec, [("spec", "podManagementPolicy")])
    assert found["spec"] == {"podManagementPolicy": "Parallel", "replicas": 2}


def test_a_quota_of_pods_that_are_not_known_counts_nothing():
    quota = {"spec": {"hard": {"pods": 1, "requests.cpu": "${CPU}"}, "scopes": ["${SCOPE}"]}}
    assert relaxed(quota, [("spec", "scopes", 0)])["spec"] == {"scopes": ["${SCOPE}"]}
    assert relaxed(quota, [("spec", "hard", "requests.cpu")])["spec"]["hard"] == {"pods": 1}
    assert relaxed(quota, [("spec", "scopes", 0), ("spec", "hard", "requests.cpu")])["spec"] == {"scopes": ["${SCOPE}"]}


def test_a_class_stays_as_it_is_written():
    assert relaxed(_POD, [("priorityClassName",)]) == _POD


def test_several_fields_are_relaxed_at_once():
    found = relaxed(_POD, [("nodeName",), ("nodeSelector", "zone")])
    assert found["nodeSelector"] == {"pool": "gpu"}
    assert "nodeName" not in found
