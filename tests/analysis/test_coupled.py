"""Replicas that an autoscaler may ask for, where pods must be near to others."""

from __future__ import annotations

from checks_units import deployment
from companions import APART, CACHE, KEPT, NEAR, codes, said

SCALER = """\
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: chat, namespace: serving}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: chat}
  minReplicas: 1
  maxReplicas: 8
"""


def test_what_an_autoscaler_may_ask_for_is_counted_beside_its_companions():
    chat = deployment(pod=NEAR, spec=KEPT) + SCALER
    assert "KLG115" in codes(chat, 4)
    cache = "---\n" + deployment(name="cache", limits="{cpu: 1}")
    assert "KLG115" in codes(chat + cache, 4)
    assert "KLG115" not in codes(chat + cache, 8)


def test_where_two_autoscalers_raise_the_number_of_companions_the_best_numbers_count():
    chat = deployment(pod=NEAR, spec=KEPT) + SCALER
    both = chat + CACHE + SCALER.replace("name: chat", "name: cache")
    (message,) = said("KLG115", chat + CACHE)
    assert "only 4 replicas find room beside Deployment serving/cache" in message
    assert said("KLG115", both) == []


def test_an_autoscaler_of_pods_that_must_be_apart_from_others():
    (message,) = said("KLG115", deployment(pod=APART) + SCALER + CACHE)
    assert message.startswith("maxReplicas is 8, but only 4 replicas find room beside")
