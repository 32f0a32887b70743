from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.workspace import field_pointers

POD = ("spec", "template", "spec")
TERMS = (*POD, "affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")


def manifest(**parts):
    return unit(deployment(**parts), "").manifests[0]


def affinity(terms):
    return f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: {terms}}}}}}}"


@pytest.mark.parametrize(
    ("spec", "route"),
    [
        ("", ("spec", "strategy")),
        ("strategy: {type: Recreate}", ("spec", "strategy")),
        ("strategy: {rollingUpdate: {}}", ("spec", "strategy", "rollingUpdate")),
        ("strategy: {rollingUpdate: {maxSurge: 1}}", ("spec", "strategy", "rollingUpdate", "maxSurge")),
        (
            "strategy: {rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}",
            ("spec", "strategy", "rollingUpdate", "maxUnavailable"),
        ),
    ],
)
def test_the_strategy_is_the_nearest_field_that_is_written(spec, route):
    assert field_pointers.strategy(manifest(spec=spec)) == route


def test_every_entry_of_a_node_selector_binds():
    found = manifest(pod="nodeSelector: {a: b, c: d}")
    assert list(field_pointers.selectors(found)) == [(*POD, "nodeSelector", "a"), (*POD, "nodeSelector", "c")]


def test_of_one_term_every_expression_binds():
    term = "[{matchExpressions: [{key: a, operator: Exists}], matchFields: [{key: metadata.name, operator: In, values: [x]}]}]"
    found = manifest(pod=affinity(term))
    assert list(field_pointers.selectors(found)) == [
        (*TERMS, 0, "matchExpressions", 0, "key"),
        (*TERMS, 0, "matchFields", 0, "key"),
    ]


def test_of_several_terms_the_list_binds_and_its_key_is_shown():
    found = manifest(pod=affinity("[{matchExpressions: [{key: a, operator: Exists}]}, {}]"))
    assert list(field_pointers.selectors(found)) == [TERMS]
    place = field_pointers.selector_place(found, TERMS)
    assert place.end_column - place.column == len("nodeSelectorTerms")


def test_an_unbound_pod_has_no_selectors():
    assert list(field_pointers.selectors(manifest())) == []


def test_host_ports_are_those_written_and_with_the_hosts_network_those_of_the_container():
    ports = "ports: [{containerPort: 80}, {containerPort: 81, hostPort: 8081}]"
    base = (*POD, "containers", 0, "ports")
    assert list(field_pointers.host_ports(manifest(more=ports))) == [(*base, 1, "hostPort")]
    shared = manifest(more=ports, pod="hostNetwork: true")
    assert list(field_pointers.host_ports(shared)) == [(*base, 0, "containerPort"), (*base, 1, "hostPort")]


def test_only_constraints_that_must_hold_count():
    found = manifest(
        pod="""\
        topologySpreadConstraints:
          - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}
          - {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}
        """
    )
    assert list(field_pointers.spread(found)) == [(*POD, "topologySpreadConstraints", 1)]


def test_only_required_anti_affinity_counts():
    found = manifest(
        pod="""\
        affinity:
          podAntiAffinity:
            preferredDuringSchedulingIgnoredDuringExecution: []
            requiredDuringSchedulingIgnoredDuringExecution:
              - {topologyKey: zone, labelSelector: {}}
        """
    )
    (route,) = field_pointers.anti_affinity(found)
    assert field_pointers.at(found, (*route, "topologyKey")) == "zone"


def test_claims_are_the_volumes_that_name_one():
    found = manifest(pod="volumes: [{name: a, emptyDir: {}}, {name: b, persistentVolumeClaim: {claimName: c}}]")
    assert [field_pointers.at(found, route) for route in field_pointers.claims(found)] == ["c"]


def test_a_limit_is_preferred_to_a_request():
    found = manifest(limits="{nvidia.com/gpu: 1}, requests: {nvidia.com/gpu: 1, cpu: 1}")
    assert [route[-2:] for route in field_pointers.requests(found, "nvidia.com/gpu")] == [("limits", "nvidia.com/gpu")]
    assert [route[-2:] for route in field_pointers.requests(found, "cpu")] == [("requests", "cpu")]


def test_what_is_absent_is_none():
    found = manifest()
    assert field_pointers.at(found, ("spec", "nothing", 3)) is None
    assert field_pointers.at(found, (*POD, "containers", 9)) is None
    assert field_pointers.at(found, (*POD, "containers", "x")) is None


def test_the_replicas_of_a_custom_resource_stand_beside_the_template():
    pod = "template: {spec: {containers: [{name: a, image: a}]}}"
    groups = "".join(f"  - {{groupName: {name}, replicas: 2, {pod}}}\n" for name in "ab")
    head = "apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: c}\nspec:\n"
    found = unit(f"{head}  headGroupSpec: {{{pod}}}\n  workerGroupSpecs:\n{groups}", "")
    assert [field_pointers.replicas(one.manifest) for one in found.subjects] == [
        ("spec",),
        ("spec", "workerGroupSpecs", 0, "replicas"),
        ("spec", "workerGroupSpecs", 1, "replicas"),
    ]
