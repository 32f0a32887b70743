"""What is meant by the place where something is typed."""

from __future__ import annotations

import pytest
from typed_pod import POD, place

from kubelint_gpu.lsp.typed.meanings import Meant, meant

EXPRESSION = (
    POD
    + "  affinity:\n    nodeAffinity:\n      requiredDuringSchedulingIgnoredDuringExecution:\n        nodeSelectorTerms:\n"
)


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        (POD + "  nodeSelector:\n    |", Meant("label-key", as_key=True)),
        (POD + "  nodeSelector:\n    a: |", Meant("label-value", "a")),
        (EXPRESSION + "        - matchExpressions:\n          - key: |", Meant("label-key")),
        (EXPRESSION + "        - matchExpressions:\n          - key: a\n            operator: |", Meant("operator")),
        (
            EXPRESSION
            + "        - matchExpressions:\n          - key: a\n            values:\n            - x\n            - |",
            Meant("label-value", "a"),
        ),
        (
            EXPRESSION
            + "        - matchExpressions:\n          - values: [x, |]\n            operator: In\n            key: a",
            Meant("label-value", "a"),
        ),
        (EXPRESSION + "        - matchExpressions: [{key: a, values: [|", Meant("label-value", "a")),
        (POD + "  tolerations:\n  - key: a\n    value: |", Meant("taint-value", "a")),
        (POD + "  tolerations:\n  - effect: |\n    key: a\n", Meant("effect", "a")),
        (POD + "  tolerations:\n  - key: |\n  - key: b\n", Meant("taint-key")),
        (POD + "  priorityClassName: |", Meant("priority-class")),
        (POD + "  runtimeClassName: |", Meant("runtime-class")),
        (POD + "  topologySpreadConstraints:\n  - topologyKey: |", Meant("label-key")),
        (POD + "  containers:\n  - resources:\n      limits:\n        |", Meant("resource", as_key=True)),
        (POD + "  containers:\n  - resources: {requests: {|", Meant("resource", as_key=True)),
        (POD + "  containers:\n  - name: |", None),
        (
            POD
            + "  affinity:\n    podAffinity:\n      x:\n      - labelSelector:\n          matchExpressions:\n          - key: |",
            None,
        ),
    ],
)
def test_what_a_place_means(text, meaning):
    assert meant(place(text)[0]) == meaning
