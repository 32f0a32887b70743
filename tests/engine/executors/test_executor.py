import os

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.engine.executors import executor
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

GOOD = "apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c{number}}}\n"
BROKEN = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{number}}}\nspec: {{replicas: many}}\n"
IGNORED = (
    "apiVersion: apps/v1\nkind: Deployment\nmetadata: {{name: d{number}}}\n"
    "spec: {{replicas: many}} # kubelint-gpu: ignore[KLG003] later\n"
)


def units(count: int) -> list[ApplySet]:
    texts = (GOOD, BROKEN, IGNORED)
    return [
        ApplySet([read(f"{number:04}.yaml", texts[number % 3].format(number=number).encode())], ClusterContext())
        for number in range(count)
    ]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork, so there is one process")
# the workers of pytest-xdist have threads, the program has none
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("count", [2 * executor.LEAST_EACH, 1100])
def test_several_processes_give_the_same_outcome(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[int] = []
    fork = os.fork
    monkeypatch.setattr(os, "fork", lambda: (used.append(1), fork())[1])
    alone = check(units(count), ClusterContext(), suppression=Suppression())
    assert used == []
    shared = check(units(count), ClusterContext(), suppression=Suppression(), executor=executor.Processes(3))
    assert len(used) == min(3, count // executor.LEAST_EACH)
    assert shared == alone
    assert alone.ignored == count // 3
    assert len(alone.findings) >= count // 3


def test_few_units_are_not_shared_out() -> None:
    found = executor.Processes(8).each(lambda number: (number + 1, os.getpid()), range(executor.LEAST_EACH * 2 - 1))
    assert found[-1] == (499, os.getpid())
    assert {process for _, process in found} == {os.getpid()}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork, so there is one process")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_the_first_ones_are_done_before_others_are_shared_out() -> None:
    found = executor.Processes(8).each(lambda number: (number, os.getpid()), range(executor.LEAST_EACH * 2))
    assert [number for number, _ in found] == list(range(executor.LEAST_EACH * 2))
    assert {process for _, process in found[: executor.FIRST]} == {os.getpid()}
    assert os.getpid() not in {process for _, process in found[executor.FIRST :]}


def test_what_was_worked_out_is_worked_out_again() -> None:
    unit = units(1)[0]
    before = unit.manifests
    unit.forget()
    assert [manifest.object for manifest in unit.manifests] == [manifest.object for manifest in before]
