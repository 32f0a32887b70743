"""The core as other programs see it: what it loads, what it refuses, what its values promise."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest
from plugin_objects import HOST, REQUIRED, node, pod

import kubelint_gpu.scheduler as core
from kubelint_gpu.scheduler import (
    InvalidObject,
    UnknownPriorityClass,
    read_cluster,
    read_pod,
    resolved,
)

PAGE = Path(__file__).resolve().parents[2] / "docs" / "core.md"


def test_the_core_loads_neither_click_nor_yaml_nor_jsonschema():
    code = (
        "import sys, kubelint_gpu.scheduler\n"
        "found = {name.partition('.')[0] for name in sys.modules} & {'click', 'ruamel', 'yaml', 'jsonschema'}\n"
        "found |= {name for name in sys.modules if name.startswith(('kubelint_gpu.documents', 'kubelint_gpu.inventory'))}\n"
        "sys.exit(', '.join(sorted(found)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=PAGE.parents[1]
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_ten_lines_of_the_page_say_what_the_page_says(capsys):
    text = PAGE.read_text(encoding="utf-8")
    blocks = re.findall(r"```(python|text)\n(.*?)```", text, re.DOTALL)
    (_, program), (_, expected) = next(
        (one, other) for one, other in pairwise(blocks) if (one[0], other[0]) == ("python", "text")
    )
    assert len([line for line in program.splitlines() if line.strip()]) <= 10
    exec(compile(program, str(PAGE), "exec"), {})  # noqa: S102 - the page's own program
    assert capsys.readouterr().out == expected


def test_every_public_name_is_on_the_page():
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in core.__all__ if f"`{name}" not in text] == []


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (node("n") | {"status": {"allocatable": {"cpu": "-1"}}}, ("Node n", "status.allocatable.cpu", "-1")),
        (node("n") | {"status": {"allocatable": {"cpu": "1 core"}}}, ("Node n", "status.allocatable.cpu", "1 core")),
        (node("n", taints=[{"key": "a", "effect": "Never"}]), ("Node n", "spec.taints[0].effect", "Never")),
        (
            pod(tolerations=[{"key": "a", "operator": "Maybe"}]),
            ("Pod default/incoming", "spec.tolerations[0].operator", "Maybe"),
        ),
        (
            pod(containers=[{"name": "c", "resources": {"requests": {"nvidia.com/gpu": "-1"}}}]),
            ("Pod default/incoming", "spec.containers[0].resources.requests[nvidia.com/gpu]", "-1"),
        ),
        (
            pod(affinity={"podAffinity": {REQUIRED: [{"topologyKey": HOST, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "Is"}]}}]}}),
            ("matchExpressions[0].operator", '"Is"'),
        ),
        (
            pod(affinity={"nodeAffinity": {REQUIRED: {"nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "In"}]}]}}}),
            ("nodeSelectorTerms[0].matchExpressions[0].values", "must be specified"),
        ),
        (pod(topologySpreadConstraints=[{"topologyKey": HOST, "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 0}]), ("maxSkew", "greater than zero")),
        (pod(priority="high"), ("spec.priority", "must be an integer")),
        ({"kind": "PriorityClass", "metadata": {"name": "p"}, "value": 2**40}, ("PriorityClass p", "value")),
    ],
)  # fmt: skip
def test_an_invalid_object_is_an_error_that_names_object_and_field(value, says):
    with pytest.raises(InvalidObject) as caught:
        read_cluster([value])
    for part in says:
        assert part in str(caught.value)


def test_priorities_are_those_of_admission():
    classes = [
        {"kind": "PriorityClass", "metadata": {"name": name}, "value": value, **more}
        for name, value, more in (
            ("high", 1000, {"preemptionPolicy": "Never"}),
            ("usual", 7, {"globalDefault": True}),
            ("lower", 3, {"globalDefault": True}),
        )
    ]
    cluster = read_cluster(classes)

    def admitted(**spec):
        found = resolved(read_pod(pod(**spec)), cluster).spec
        return found.priority, found.preemption_policy, found.priority_class_name

    assert admitted(priorityClassName="high") == (1000, "Never", "high")
    assert admitted(priorityClassName="system-node-critical") == (
        2_000_001_000,
        "PreemptLowerPriority",
        "system-node-critical",
    )
    assert admitted() == (3, "PreemptLowerPriority", "lower")
    assert admitted(priority=5) == (5, "PreemptLowerPriority", "")
    assert resolved(read_pod(pod()), read_cluster([])).spec.priority == 0
    with pytest.raises(UnknownPriorityClass, match="no PriorityClass with name none was found"):
        admitted(priorityClassName="none")
