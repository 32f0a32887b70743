"""What is said of the pods that Jobs leave behind."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.ended_jobs import TTL, EndedJobs
from kubelint_gpu.engine.api import Related
from kubelint_gpu.messages.wording import listed, verb, workload_name


def once_ended(found: EndedJobs, *, at_once: bool = False) -> str:
    """`once Job a/b has ended`; of one that never gets all its pods, `once Job a/b makes no more pods`.

    With `at_once`, of one that is made beside a rollout, `where the pods of Job a/b come first`.
    """
    names, number = listed([workload_name(one.workload) for one in found.jobs]), len(found.jobs)
    if at_once:
        return f"where the pods of {names} come first"
    if not found.whole:
        return f"once {names} {verb('make', number)} no more pods"
    return f"once {names} {'has' if number == 1 else 'have'} ended"


def kept_pods(found: EndedJobs) -> Iterator[Related]:
    """That the pods of Jobs stay when these have ended."""
    for one in found.jobs:
        yield Related(
            one.manifest.place(("spec",), "key"),
            f"without {TTL} the pods of {workload_name(one.workload)} count until it is deleted",
        )
