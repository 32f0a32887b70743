"""Jobs and CronJobs that the API server refuses."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.validation.job_validation import job_problems
from kubelint_gpu.kube.values.errors import field_path


def told(problems):
    return {field_path(problem.pointer): problem.detail for problem in problems if not problem.placeholder}


@pytest.mark.parametrize(
    ("spec", "path"),
    [
        ({"backoffLimit": -1}, "spec.backoffLimit"),
        ({"completionMode": "indexed"}, "spec.completionMode"),
        ({"completionMode": "Indexed"}, "spec.completionMode"),
        ({"completionMode": "Indexed", "completions": 2, "maxFailedIndexes": 1}, "spec.maxFailedIndexes"),
        ({"backoffLimitPerIndex": 1}, "spec.backoffLimitPerIndex"),
        ({"podReplacementPolicy": "Never"}, "spec.podReplacementPolicy"),
        ({"podFailurePolicy": {"rules": []}, "podReplacementPolicy": "TerminatingOrFailed"}, "spec.podReplacementPolicy"),
        ({"podFailurePolicy": {"rules": [{"action": "Ignore"}]}}, "spec.podFailurePolicy.rules[0]"),
        ({"selector": {"matchLabels": {"app": "x"}}}, "spec.selector"),
        ({"selector": {"matchLabels": {"batch.kubernetes.io/controller-uid": "x"}}}, None),
        ({"completionMode": "${MODE}", "backoffLimit": "${LIMIT}", "podReplacementPolicy": "${POLICY}"}, None),
    ],
)  # fmt: skip
def test_a_job_is_refused_at_its_field(spec, path):
    assert list(told(job_problems("Job", spec))) == ([path] if path else [])


def test_a_cron_job_is_refused_at_its_field_and_at_that_of_its_job():
    job = {"manualSelector": True, "backoffLimit": -1}
    found = told(job_problems("CronJob", {"timeZone": "", "failedJobsHistoryLimit": -1, "jobTemplate": {"spec": job}}))
    assert list(found) == [
        "spec.failedJobsHistoryLimit",
        "spec.timeZone",
        "spec.jobTemplate.spec.manualSelector",
        "spec.jobTemplate.spec.backoffLimit",
    ]
