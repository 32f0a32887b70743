"""The workers of a Dask scheduler, on any number of machines; they receive bytes, and read no file of this one."""

from __future__ import annotations

import copyreg
import io
import logging
import pickle
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import islice
from queue import Empty, SimpleQueue
from threading import Lock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, cast

from kubelint_gpu.documents import Reading
from kubelint_gpu.engine.executors.executor import Answer, ExecutorError, untold
from kubelint_gpu.findings.catalogue import rules_folder
from kubelint_gpu.kube.kinds.custom_workload import declare_rows, further_rows
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.known_configurations import KnownCluster
from kubelint_gpu.workspace.shared_objects import Beside, Deferred, SharedObjects

if TYPE_CHECKING:
    from distributed import Client, Future

_LARGEST = 32
_LEAST_PIECES = 64
"""A piece has at most so many units, and fewer where there would be less pieces than that."""
_ON_THE_WAY = 256
"""The pieces that the scheduler holds at a time: what a run sends is bounded."""
_RETRIES = 2
_WITHOUT_WORKERS = 60
"""Seconds for which no worker is there before a run fails."""
_TICK = 1

Result = tuple[str, str, bytes]
"""The host that gives it, the program there, and the answers; these are empty where it is another program."""
_one_at_a_time = Lock()

Task = tuple[ApplySet, int]
"""A unit, and the steps that may be spent on it."""


def judged(program: str, common: bytes, piece: bytes) -> Result:
    """The function that a worker runs; threads of one worker take turns, because their shared state allows only one."""
    here = identity()
    if here != program:
        return socket.gethostname(), here, b""
    with _one_at_a_time:
        return socket.gethostname(), here, answers(common, piece)


class Fleet:
    """The workers of the scheduler at an address like `tcp://10.0.0.1:8786` or `tls://10.0.0.1:8786`.

    A run fails if nothing answers there for `seconds`.
    """

    def __init__(self, address: str, seconds: float = 10) -> None:
        self._address = address
        self._seconds = seconds

    def each(
        self, work: Callable[[Any], Answer], things: Sequence[Any], tell: Callable[[int], None] = untold
    ) -> list[Answer]:
        """Return `work(thing)` for each thing, in their order; things that cannot travel are processed here meanwhile.

        Work that is lost with its worker is given to another one.

        Raises:
            ExecutorError: there is no scheduler, or no worker; a worker has another program; some die of the work.
        """
        found: dict[int, Answer] = {}
        if things:
            for number, answer in self._found(work, things):
                found[number] = answer
                tell(len(found))
        return [found[number] for number in range(len(things))]

    def _found(self, work: Callable[[Task], Answer], tasks: Sequence[Task]) -> Iterator[tuple[int, Answer]]:
        far = [number for number, (unit, _) in enumerate(tasks) if travels(unit)]
        near = sorted(set(range(len(tasks))).difference(far))
        size = max(1, min(_LARGEST, len(far) // _LEAST_PIECES))
        left = iter([far[first : first + size] for first in range(0, len(far), size)])
        parcels, program = Parcels([tasks[number][0] for number in far]), identity()
        done: SimpleQueue[Future] = SimpleQueue()
        sent: dict[str, list[int]] = {}
        with self._client() as client:
            common = client.submit(bytes, parcels.common, pure=False)

            def send(pieces: int) -> None:
                for numbers in islice(left, pieces):
                    piece = parcels.piece(work, [tasks[number] for number in numbers])
                    future = client.submit(judged, program, common, piece, pure=False, retries=_RETRIES)
                    sent[future.key] = numbers
                    future.add_done_callback(done.put)

            send(_ON_THE_WAY)
            for number in near:
                yield number, work(tasks[number])
            while sent:
                future = self._next(done, client)
                numbers = sent.pop(future.key)
                send(1)
                names = [reading.source.path for one in numbers for reading in tasks[one][0].readings if reading.source]
                yield from zip(numbers, answers_of(future, program, names), strict=True)

    @contextmanager
    def _client(self) -> Iterator[Client]:
        import dask
        from distributed import Client

        before = logging.root.manager.disable
        logging.disable(logging.CRITICAL)
        try:
            with (
                dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 PiB"}),
                Client(self._address, timeout=self._seconds, set_as_default=False, name="kubelint-gpu") as client,
            ):
                yield client
        except (OSError, TypeError, RuntimeError) as error:
            raise ExecutorError(f"--executor: the scheduler {self._address} does not answer: {error}") from None
        finally:
            logging.disable(before)

    def _next(self, done: SimpleQueue[Future], client: Client) -> Future:
        """The next piece that is finished."""
        waited = 0
        while True:
            try:
                return done.get(timeout=_TICK)
            except Empty:
                waited = 0 if client.ncores() else waited + _TICK
            if waited >= _WITHOUT_WORKERS:
                raise ExecutorError(f"--executor: the scheduler {self._address} has no workers")


def answers_of(future: Future, program: str, names: Sequence[str]) -> list[Any]:
    """The results of a worker for some files.

    Raises:
        ExecutorError: no worker could judge them, or the worker runs another program.
    """
    import pickle

    try:
        host, there, data = future.result()
    except Exception as error:  # noqa: BLE001 - whatever a worker or the scheduler raises
        said = f"{type(error).__name__}: {error}".splitlines()[0][:300]
        raise ExecutorError(
            f"--executor: no worker judges {names[0]} and what was sent with it ({len(names)} files): {said}"
        ) from None
    if there != program:
        raise ExecutorError(
            f"--executor: the worker on {host} has {there}, and this is {program}: install the same on both"
        )
    found: list[Any] = pickle.loads(data)  # noqa: S301 - of a program that is trusted with the manifests
    return found


def travels(unit: ApplySet) -> bool:
    """Whether a unit can be sent as bytes that contain everything that decides about it.

    The findings of a file with problems depend on the folders above it, and renders are repaired by the Kustomize of
    the machine that rendered them.
    """
    return not unit.rendered and all(one.source is not None and not one.problems for one in unit.readings)


class Parcels:
    """Packs units for sending; `common` is what several of them need."""

    def __init__(self, units: Sequence[ApplySet]) -> None:
        needed = dict.fromkeys(one for unit in units for one in _needs(unit))
        self._numbers = {one: number for number, one in enumerate(needed)}
        self.common = _packed((further_rows(), tuple(needed)))

    def piece(self, work: Callable[[Task], Any], tasks: Sequence[Task]) -> bytes:
        """Pack the work on some of the units."""
        return _packed((work, [(self._outline(unit), steps) for unit, steps in tasks]))

    def _outline(self, unit: ApplySet) -> tuple[Any, ...]:
        numbers = tuple(self._numbers[one] for one in _needs(unit))
        before, followed = dict(unit.before), dict(unit.followed)
        return numbers, unit.beside.mine, unit.readings, before, unit.budget, unit.made, unit.gone, followed


def answers(common: bytes, piece: bytes) -> bytes:
    """Return the results of the work as bytes; only the arguments and this program decide them."""
    known, (work, tasks) = _opened(common), pickle.loads(piece)  # noqa: S301 - workers do what the scheduler says
    return pickle.dumps([work((_unit(known, outline), steps)) for outline, steps in tasks])


def identity() -> str:
    """A text that identifies the program: equal on two machines only if the programs are equal."""
    from kubelint_gpu.cache.digests import program_contents

    return program_contents((str(rules_folder()),))


def _needs(unit: ApplySet) -> tuple[Any, Any, Any]:
    return unit.world, unit.beside.shared, unit.context


def _unit(known: Sequence[Any], outline: tuple[Any, ...]) -> ApplySet:
    numbers, mine, readings, before, budget, made, gone, followed = outline
    world, shared, context = (known[number] for number in numbers)
    return ApplySet(readings, world, Beside(shared, mine), before, budget, (), context, made, gone, followed)


@lru_cache(maxsize=1)
def _opened(common: bytes) -> Sequence[Any]:
    rows, found = pickle.loads(common)  # noqa: S301 - same
    declare_rows(rows)
    return cast("Sequence[Any]", found)


def _packed(value: Any) -> bytes:
    written = io.BytesIO()
    pickler = pickle.Pickler(written, pickle.HIGHEST_PROTOCOL)
    pickler.dispatch_table = {**copyreg.dispatch_table, **_TABLE}
    pickler.dump(value)
    return written.getvalue()


def _world(full: bool, *parts: Any) -> ClusterContext:
    return ClusterContext(*parts, full=full)


def _world_parts(one: ClusterContext) -> tuple[Any, ...]:
    return _world, (one.full, one.inventory, one.readings, one.errors, one.name, one.what_if)


_TABLE: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    MappingProxyType: lambda one: (MappingProxyType, (dict(one),)),
    ClusterContext: _world_parts,
    KnownCluster: _world_parts,
    SharedObjects: lambda one: (SharedObjects, (one.every, one.held)),
    Deferred: lambda one: (Reading, (one.documents, one.problems, one.source, one.hashes, one.unread, one.size)),
}
"""How values are written that keep more than what they are made of."""
