"""`--executor`: a real scheduler and real workers, in processes of their own."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from command_line import COMMAND, kubelint

from kubelint_gpu.engine.executors.executor import ExecutorError
from kubelint_gpu.engine.executors.fleet import Fleet, Parcels, answers, answers_of, identity, judged, travels
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.selection import Suppression
from kubelint_gpu.kube.kinds.custom_workload import declare_rows, further_rows
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.project.comparison import Comparison
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of
from kubelint_gpu.workspace.project.worlds import WhatIf

ROOT = Path(__file__).resolve().parents[3]
LONGEST = 60
"""Seconds; what hangs is not waited for."""


def until(true):
    end = time.monotonic() + LONGEST
    while not true():
        assert time.monotonic() < end, "it hangs"
        time.sleep(0.05)


@pytest.fixture
def start(tmp_path):
    """Starts a program of Dask; all are ended."""
    begun = []

    def dask(program, *arguments):
        place = tmp_path / f"dask-{len(begun)}"
        place.mkdir()
        command = (sys.executable, "-m", f"distributed.cli.dask_{program}", "--host", "127.0.0.1", "--no-dashboard")
        with (place / "log").open("wb") as log:
            begun.append(subprocess.Popen((*command, *arguments), cwd=place, stdout=log, stderr=log))
        return begun[-1]

    yield dask
    for one in begun:
        one.kill()
        one.wait()


@pytest.fixture
def scheduler(start, tmp_path):
    """The address of a scheduler."""
    file = tmp_path / "scheduler.json"
    start("scheduler", "--port", "0", "--scheduler-file", file)
    until(lambda: file.exists() and file.read_bytes().endswith(b"}"))
    return json.loads(file.read_text())["address"]


@pytest.fixture
def manifests(tmp_path, monkeypatch):
    """More files than one piece holds, some of which only this machine can judge."""
    folder = tmp_path / "here" / "m"
    folder.mkdir(parents=True)
    for number, path in enumerate(sorted((ROOT / "rules").glob("KLG[0235]*/bad/*.yaml"))):
        shutil.copyfile(path, folder / f"{number:03}.yaml")
    (folder / "broken.yaml").write_text("kind: [\n")
    monkeypatch.chdir(folder.parent)
    return ("check", "m", "--isolated", "--no-cache", "--output-format", "concise")


@pytest.mark.filterwarnings("default")
def test_work_of_a_worker_that_is_killed_is_done_by_another_one(start, scheduler, manifests):
    from distributed import Client

    workers = [start("worker", scheduler, "--no-nanny", "--nthreads", "1", "--name", one) for one in ("a", "b")]
    with Client(scheduler, set_as_default=False) as client:
        until(lambda: len(client.ncores()) == len(workers))
        addresses = {one["name"]: address for address, one in client.scheduler_info()["workers"].items()}
        # it takes work, and gives nothing back
        os.kill(workers[0].pid, signal.SIGSTOP)
        address = scheduler.replace("tcp://", "dask://")
        ran = subprocess.Popen(
            (COMMAND, *manifests, "--executor", address), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        until(lambda: client.processing().get(addresses["a"]))
        assert ran.poll() is None
        workers[0].kill()
        out, err = ran.communicate(timeout=LONGEST)
    alone = kubelint(*manifests, cwd=Path.cwd())
    assert (ran.returncode, out.decode(), err.decode()) == (alone.code, alone.out, alone.err)
    assert alone.out.count("\n") > 50


class Done:
    """A piece of work that is done; what it gave may be an error."""

    def __init__(self, given):
        self.given = given

    def result(self):
        if isinstance(self.given, Exception):
            raise self.given
        return self.given


def test_another_program_is_not_asked():
    host, there, answers = judged("kubelint-gpu 0", b"", b"")
    assert (there, answers) == (identity(), b"")
    with pytest.raises(
        ExecutorError, match=r"the worker on \S+ has kubelint-gpu .*, and this is kubelint-gpu 0: install"
    ):
        answers_of(Done((host, there, answers)), "kubelint-gpu 0", ["a.yaml"])


def test_of_work_that_nobody_survives_the_files_are_named():
    with pytest.raises(
        ExecutorError, match=r"no worker judges a\.yaml and what was sent with it \(2 files\): OSError: died"
    ):
        answers_of(Done(OSError("died\nmore")), "", ["a.yaml", "b.yaml"])


def test_no_scheduler_is_told():
    with pytest.raises(ExecutorError, match=r"the scheduler tcp://127\.0\.0\.1:1 does not answer"):
        Fleet("tcp://127.0.0.1:1", 0.5).each(len, [(ApplySet((), ClusterContext()), 1)])


def test_without_work_nobody_is_asked():
    assert Fleet("tcp://127.0.0.1:1").each(len, []) == []


@pytest.mark.parametrize(
    "address", ["10.0.0.1:8786", "dask://10.0.0.1", "http://a:1", "dask://a:1/b", "dask://me@a:1", "dask://a:x"]
)
def test_what_is_no_address_is_refused(address, manifests):
    ran = kubelint(*manifests, "--executor", address, cwd=Path.cwd())
    assert ran.code == 2
    assert "is no address such as dask://10.0.0.1:8786" in ran.err


def test_what_is_missing_is_named(tmp_path, manifests):
    (tmp_path / "distributed.py").write_text("raise ImportError\n")
    ran = subprocess.run(
        (COMMAND, *manifests, "--executor", "dask://127.0.0.1:1"),
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        timeout=LONGEST,
        check=False,
    )
    assert ran.returncode == 2
    assert b"--executor needs the library distributed: pip install 'kubelint-gpu[fleet]'" in ran.stderr


@pytest.mark.usefixtures("manifests")
def test_a_configuration_cannot_name_a_scheduler(tmp_path):
    (tmp_path / "c.yaml").write_text("executor: dask://127.0.0.1:1\n")
    ran = kubelint("check", "m", "--config", tmp_path / "c.yaml", cwd=Path.cwd())
    assert ran.code == 2
    assert "executor" in ran.err


class Sent:
    """Does the work on what comes out of the bytes."""

    def __init__(self) -> None:
        self.count = 0

    def each(self, work, things, _tell=None):
        assert all(travels(unit) for unit, _ in things)
        self.count += len(things)
        parcels = Parcels([unit for unit, _ in things])
        pieces = [parcels.piece(work, [thing]) for thing in things]
        return [answer for piece in pieces for answer in pickle.loads(answers(parcels.common, piece))]  # noqa: S301


def compared(units, world):
    judged = partial(check, units, world, suppression=Suppression("2026-01-01"), pictures=True)
    sent = Sent()
    alone = judged()
    for unit in units:
        unit.forget()
    assert judged(executor=sent) == alone
    assert sent.count >= len(units)
    return alone


def inputs(paths, inventories, **more):
    found = inputs_of(
        gather([str(one) for one in paths], [str(one) for one in inventories]), list(map(str, inventories)), **more
    )
    return [unit for unit in found.units if travels(unit)], found.world


@pytest.mark.parametrize(
    ("example", "code"), [("quota", "KLG105"), ("two-deployments", "KLG106"), ("host-port", "KLG102")]
)
@pytest.mark.parametrize("unit", ["file", "all"])
def test_units_of_examples_are_judged_alike(example: str, code: str, unit: str) -> None:
    folder = ROOT / "examples" / example
    found = compared(*inputs([folder], [folder / "inventory.yaml"], unit=unit))
    assert code in {one.code for one in found.findings if one.picture is not None} or unit == "file"


def test_units_of_rules_are_judged_alike(tmp_path: Path) -> None:
    for number, path in enumerate(sorted((ROOT / "rules").glob("KLG[035]*/bad/*.yaml"))):
        (tmp_path / f"{number}.yaml").write_bytes(path.read_bytes())
    assert len(compared(*inputs([tmp_path], [])).findings) > 20


def test_what_is_known_of_objects_that_name_a_folder_is_sent_too(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "apps").mkdir()
    for name, folder in (("here", "apps"), ("away", "none")):
        (tmp_path / f"{name}.yaml").write_text(
            f"apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {{name: {name}}}\n"
            f"spec: {{source: {{repoURL: 'https://example.com/a/b.git', path: {folder}}}}}\n"
        )
    found = compared(*inputs([tmp_path], []))
    assert [(one.code, Path(one.place.path).name) for one in found.findings] == [("KLG006", "away.yaml")]


def test_what_was_before_and_what_if_are_sent_too(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "tracker"
    text = (folder / "tracker.yaml").read_text()
    (tmp_path / "tracker.yaml").write_text(text.replace("replicas: 1", "replicas: 2"))
    given = {"against": Comparison("", str(tmp_path)), "what_if": WhatIf(full=True)}
    units, world = inputs([folder / "tracker.yaml"], [folder / "nodes.yaml"], **given)
    assert any(unit.before for unit in units)
    assert world.full
    assert compared(units, world).findings


def test_a_render_and_a_file_with_problems_stay_here(tmp_path: Path) -> None:
    (tmp_path / "good.yaml").write_text("kind: A\n")
    (tmp_path / "bad.yaml").write_text("kind: [\n")
    found = inputs_of(gather([str(tmp_path)], []), [], unit="file")
    assert [travels(unit) for unit in found.units] == [
        reading.source.path.endswith("good.yaml") for reading in found.readings
    ]


def test_a_program_is_told_by_what_it_is_made_of() -> None:
    assert identity() == identity()
    assert identity().startswith("kubelint-gpu ")


def test_kinds_of_the_configuration_travel_with_the_units():
    row = {"kind": "Flow", "groups": ["flows.example.com"], "ends": False, "templates": []}
    declare_rows([row])
    parcels = Parcels([])
    declare_rows([])
    try:
        answers(parcels.common, parcels.piece(check, []))
        assert further_rows() == (row,)
    finally:
        declare_rows([])
