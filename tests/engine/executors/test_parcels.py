"""What a unit is sent as: judged elsewhere, it has the same result."""

from __future__ import annotations

import pickle
from functools import partial
from pathlib import Path

import pytest

from kubelint_gpu.engine.executors.parcels import Parcels, answers, identity, travels
from kubelint_gpu.engine.run import check
from kubelint_gpu.engine.suppressing import Suppression
from kubelint_gpu.kube.kinds.custom_workload import declare_rows, further_rows
from kubelint_gpu.workspace.project.comparison import Comparison
from kubelint_gpu.workspace.project.gathering import gather
from kubelint_gpu.workspace.project.inputs import inputs_of
from kubelint_gpu.workspace.project.worlds import WhatIf

ROOT = Path(__file__).resolve().parents[3]


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
