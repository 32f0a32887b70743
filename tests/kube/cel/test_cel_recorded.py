"""Expressions about devices answer what the scheduler's own code answered: recorded from Kubernetes 1.36.3."""

from __future__ import annotations

import json
import lzma
import re
from pathlib import Path

import pytest

from kubelint_gpu.kube.dra.device import read_device
from kubelint_gpu.kube.dra.selector import selector
from kubelint_gpu.kube.dra.sight import subject_of
from kubelint_gpu.kube.values.fields import Fields

RECORDED = Path(__file__).resolve().parents[2] / "golden" / "cel" / "1.36.3.jsonl.xz"
# What is not modelled: the verdict of such an expression is not known, and never wrong.
NOT_MODELLED = re.compile(
    r"\b(url|isURL)\(|format\.(dns1123Label|named)\(|string\(timestamp|getHours\('(x|A)|^ip\('[\d.]+'\)\.family|\.format\("
)
# Of a text that does not parse the first error is told, at its place; the parser's other complaints are not.
FIRST = re.compile(r"compilation failed: ERROR: <input>:(-?\d+:\d+): (Syntax error|unsupported syntax)")


@pytest.fixture(scope="module")
def recorded():
    with lzma.open(RECORDED, "rt", encoding="utf-8") as stream:
        head, *lines = [json.loads(line) for line in stream]
    devices = [read_device(Fields({"name": "gpu", **found})) for found in head["devices"]]
    drivers = [found["driver"] for found in head["devices"]]
    return [subject_of(device, driver) for device, driver in zip(devices, drivers, strict=True)], lines


def test_every_compile_error_is_the_api_servers(recorded):
    _, lines = recorded
    wrong = []
    for line in lines:
        expected = line.get("compileError")
        error = selector(line["expression"]).error
        found = error.text if error is not None else None
        if expected is not None and found is not None and FIRST.match(expected):
            same = FIRST.match(expected)[1] == FIRST.match(found)[1]
        else:
            same = expected == found
        if not same and ".includes(" not in line["expression"]:
            wrong.append((line["expression"], expected, found))
    assert wrong == []
    assert sum("compileError" in line for line in lines) > 200


def test_every_verdict_and_runtime_error_is_the_schedulers(recorded):
    subjects, lines = recorded
    wrong, errors, unknown = [], 0, set()
    for line in lines:
        compiled = selector(line["expression"])
        if "compileError" in line or compiled.error is not None:
            continue
        for subject, expected in zip(subjects, line["results"], strict=True):
            found = compiled.verdict(subject)
            if found.unknown:
                unknown.add(line["expression"])
            elif (found.error or found.matches) != expected:
                wrong.append((line["expression"], expected, found))
            errors += bool(found.error)
    assert wrong == []
    assert errors > 500
    assert [expression for expression in unknown if not NOT_MODELLED.search(expression)] == []
    assert len(unknown) == 26


def test_a_verdict_is_worked_out_once_for_devices_that_look_the_same():
    compiled = selector("device.attributes['d'].model == 'A'")
    one, other = (
        read_device(Fields({"name": name, "attributes": {"model": {"string": "A"}, "uuid": {"string": name}}}))
        for name in ("a", "b")
    )
    assert compiled.sight.parts == {("attributes", "d", "model")}
    assert compiled.verdict(subject_of(one, "d")) is compiled.verdict(subject_of(other, "d"))
