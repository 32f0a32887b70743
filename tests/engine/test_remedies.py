from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.documents import items, read
from kubelint_gpu.documents.editing import apply
from kubelint_gpu.engine.remedies import no_surge, recreate, within_a_revision
from kubelint_gpu.kube.objects.meta import Meta
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.values import replace


def manifest(**parts):
    return unit(deployment(**parts), "").manifests[0]


def strategy_after(proposal, found):
    source = found.item.document.source
    reading = read("a.yaml", apply(source, proposal.edits()).encode())
    assert not reading.problems
    return items(reading.documents[0])[0].value["spec"]["strategy"]


WRITTEN = [
    "",
    "strategy: {}",
    "strategy: {type: RollingUpdate}",
    "strategy:\n  type: RollingUpdate",
    "strategy: {rollingUpdate: {}}",
    "strategy: {rollingUpdate: {maxSurge: 1}}",
    "strategy: {rollingUpdate: {maxUnavailable: 0}}",
    "strategy:\n  rollingUpdate:\n    maxUnavailable: 0",
    "strategy:\n  type: RollingUpdate\n  rollingUpdate:\n    maxSurge: 25%\n    maxUnavailable: 25%",
    "strategy:\n  rollingUpdate:\n    maxSurge: 0 # none",
    "strategy: {type: RollingUpdate, rollingUpdate: {maxUnavailable: 0, maxSurge: 1}}",
]


@pytest.mark.parametrize("spec", WRITTEN)
def test_no_surge_is_the_same_however_the_strategy_was_written(spec):
    found = manifest(spec=spec)
    after = strategy_after(no_surge(found, 1), found)
    assert after["rollingUpdate"] == {"maxSurge": 0, "maxUnavailable": 1}
    assert after.get("type", "RollingUpdate") == "RollingUpdate"


@pytest.mark.parametrize("spec", WRITTEN)
def test_recreate_is_the_same_however_the_strategy_was_written(spec):
    found = manifest(spec=spec)
    assert strategy_after(recreate(found, 1), found) == {"type": "Recreate", "rollingUpdate": None}


def test_what_is_right_already_is_not_edited():
    found = manifest(spec="strategy: {rollingUpdate: {maxSurge: 0, maxUnavailable: 1}}")
    assert no_surge(found, 1).edits() == []


@pytest.mark.parametrize(
    ("replicas", "brief", "whole"),
    [
        (1, "of the only replica in each rollout", "of the only replica in each rollout"),
        (2, "of 1 of 2 replicas at each step", "of all 2 replicas at once in each rollout"),
    ],
)
def test_the_price_is_part_of_the_title(replicas, brief, whole):
    found = manifest()
    assert no_surge(found, replicas).whole.endswith(f"costs a brief downtime {brief}")
    assert recreate(found, replicas).whole.endswith(f"costs a downtime {whole}")


def test_only_terms_without_match_label_keys_get_them():
    found = manifest(
        pod="""\
        affinity:
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              - {topologyKey: a, labelSelector: {}}
              - {topologyKey: b, labelSelector: {}, matchLabelKeys: [x]}
        topologySpreadConstraints:
          - {maxSkew: 1, topologyKey: c, whenUnsatisfiable: DoNotSchedule, labelSelector: {}}
        """
    )
    text = apply(found.item.document.source, within_a_revision(found).edits())
    assert text.count("pod-template-hash") == 2
    assert not read("a.yaml", text.encode()).problems


def test_a_term_that_selects_pods_of_others_gets_no_match_label_keys():
    found = manifest(
        pod="""\
        affinity:
          podAntiAffinity:
            requiredDuringSchedulingIgnoredDuringExecution:
              - {topologyKey: a, labelSelector: {matchLabels: {app: chat}}}
              - {topologyKey: b, labelSelector: {matchLabels: {app: other}}}
              - {topologyKey: c, labelSelector: {matchLabels: {tier: gpu}}}
        """,
    )
    beside = Meta("other", "serving", "", FrozenMap({"app": "chat", "tier": "gpu"}))
    assert [edit.span.line for edit in within_a_revision(found).edits()] != []
    assert within_a_revision(found, [beside]).edits() == []
    elsewhere = replace(beside, namespace="lab")
    assert len(within_a_revision(found, [elsewhere]).edits()) == 1
