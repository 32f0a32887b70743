"""Pods that must each be near to the other: none ever starts, and that is told."""

from __future__ import annotations

from checks_units import deployment, findings

NEAR = """
affinity:
  podAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      - {{labelSelector: {{matchLabels: {{app: {}}}}}, topologyKey: kubernetes.io/hostname}}
"""


def of(name, near, limits="{cpu: 1}"):
    return deployment(name=name, limits=limits, pod=NEAR.format(near))


def test_two_that_wait_for_each_other_never_start():
    found = findings(f"{of('a', 'b')}---\n{of('b', 'a')}", code="KLG403")
    assert {one.object for one in found} == {"Deployment/serving/a", "Deployment/serving/b"}
    assert all("none of them can be the first" in one.message for one in found)
    assert not findings(f"{of('a', 'b')}---\n{of('b', 'a')}", code="KLG109")


def test_one_that_follows_another_starts():
    other = deployment(name="b", limits="{cpu: 1}")
    assert not [one for one in findings(f"{of('a', 'b')}---\n{other}") if one.code in ("KLG109", "KLG403")]
