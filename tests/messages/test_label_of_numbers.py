"""The numbers behind a rollout, as they are written."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.messages.kept_pods import keeping


@pytest.mark.parametrize(
    ("strategy", "told"),
    [
        ("", "3 replicas: by default maxSurge is 1 and maxUnavailable 0"),
        ("{type: RollingUpdate}", "3 replicas: by default maxSurge is 1 and maxUnavailable 0"),
        (
            "{rollingUpdate: {maxSurge: 25%, maxUnavailable: 25%}}",
            "3 replicas: maxSurge 25% is 1 and maxUnavailable 25% is 0",
        ),
        ("{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}", "3 replicas: maxSurge is 1 and maxUnavailable 0"),
        ("{rollingUpdate: {maxSurge: 1}}", "3 replicas: maxSurge is 1 and maxUnavailable 25% is 0"),
    ],
)
def test_what_is_written_is_no_default(strategy, told):
    found = unit(deployment(spec=f"replicas: 3\nstrategy: {strategy}" if strategy else "replicas: 3"))
    assert keeping(found.subjects[0].workload)[2] == told
