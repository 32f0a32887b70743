"""Several control planes that work through one list of cases."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from conformance.control_plane import ControlPlane
from conformance.kubelets import Kubelets
from conformance.processes import Supervisor

Work = TypeVar("Work")
Result = TypeVar("Result")


class Died(RuntimeError):
    """A program of a control plane ended during the run."""


def through(
    supervisor: Supervisor,
    planes: Sequence[ControlPlane],
    work: Sequence[Work],
    do: Callable[[ControlPlane, Kubelets, Work], Result],
    *,
    kubelets: bool = True,
) -> list[Result]:
    """What `do` returns for each piece of work, in the order of the work; what raises is left out and told.

    Without `kubelets` what is bound stays as it is, and what is deleted stays too.

    Raises:
        Died: a control plane ended; what it was asked to do meanwhile means nothing.
    """
    waiting: queue.SimpleQueue[tuple[int, Work]] = queue.SimpleQueue()
    for numbered in enumerate(work):
        waiting.put(numbered)
    results: dict[int, Result] = {}
    failures: list[str] = []
    stopped = threading.Event()

    def lane(plane: ControlPlane) -> None:
        following = Kubelets(plane.client, active=kubelets)
        try:
            while not stopped.is_set():
                try:
                    number, piece = waiting.get_nowait()
                except queue.Empty:
                    return
                try:
                    results[number] = do(plane, following, piece)
                except Exception as error:  # noqa: BLE001 - one case must not end the others
                    failures.append(f"{number}: {type(error).__name__}: {error}")
        finally:
            following.stop()

    threads = [threading.Thread(target=lane, args=(plane,), daemon=True) for plane in planes]
    for thread in threads:
        thread.start()
    told = time.monotonic()
    try:
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.2)
            if supervisor.dead():
                raise Died(f"{', '.join(supervisor.dead())} ended\n{supervisor.log(supervisor.dead()[0])}")
            if time.monotonic() - told > 20:
                told = time.monotonic()
                print(f"{len(results)} of {len(work)} done, {len(failures)} failed", file=sys.stderr, flush=True)
    finally:
        stopped.set()
    for failure in failures:
        print(f"failed: {failure}", file=sys.stderr)
    return [results[number] for number in sorted(results)]
