"""The work for a tree of kustomizations grows with its objects and no faster: calls are counted, not seconds."""

from __future__ import annotations

import sys

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.engine.fixes import trials
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.sources.kustomize.program import Program
from kubelint_gpu.sources.kustomize.rendering import Renderer, render
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext

DEPLOYMENT = """\
apiVersion: apps/v1
kind: Deployment
metadata:
  name: d{number}
spec:
  selector: {{matchLabels: {{app: d{number}}}}}
  template:
    metadata: {{labels: {{app: d{number}}}}}
    spec:
      priorityClassName: some
      {field}: x
      nodeSelector: {{zone: a}}
      containers: [{{name: server, image: "example.com/server:1"}}]
"""
PATCH = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: d{number}}}
spec: {{template: {{spec: {{nodeSelector: {{zone: b}}}}}}}}
"""


def grown(folder, count, field):
    """A base for ten objects each, a layer above them, and what Kustomize makes of it."""
    printed, layers = [], []
    for base in range(count // 10):
        names = range(base * 10, base * 10 + 10)
        (folder / f"base{base}").mkdir(parents=True)
        for number in names:
            text = DEPLOYMENT.format(number=number, field=field)
            (folder / f"base{base}" / f"d{number}.yaml").write_text(text)
            printed.append(text.replace("zone: a", "zone: b"))
        (folder / f"base{base}" / "kustomization.yaml").write_text(
            f"resources: {[f'd{number}.yaml' for number in names]}\n"
        )
        layers.append(f"../base{base}")
    (folder / "top").mkdir()
    patches = "".join(f"- path: p{number}.yaml\n" for number in range(count))
    (folder / "top" / "kustomization.yaml").write_text(f"resources: {layers}\npatches:\n{patches}")
    for number in range(count):
        (folder / "top" / f"p{number}.yaml").write_text(PATCH.format(number=number))
    return "---\n".join(printed).encode()


def calls(work):
    """How many functions of Python are called."""
    count = 0

    def told(frame, event, argument):  # noqa: ARG001 - the interpreter gives them
        nonlocal count
        count += event == "call"

    sys.setprofile(told)
    try:
        work()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize(("field", "findings"), [("hostname", 0), ("hostnam", 1)])
def test_twice_the_objects_are_twice_the_work(tmp_path, monkeypatch, field, findings):
    monkeypatch.setattr(trials, "MOST_RENDERED", 100)
    renderer = Renderer(Program(("none",)))

    def work(count):
        folder = tmp_path / str(count)
        printed = grown(folder, count, field)

        def run():
            built = render(folder / "top", renderer, root=folder, cwd=folder, printed=printed)
            assert all(origin.answer(("metadata", "name")).certain for origin in built.origins)
            outcome = check([ApplySet((built.reading,), ClusterContext(), rendered=(built,))], ClusterContext())
            assert len(outcome.findings) == findings * count

        return run

    work(10)()
    small, large = calls(work(40)), calls(work(80))
    assert large < 2.3 * small


PINNED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: d{number}}}
spec:
  selector: {{matchLabels: {{app: d{number}}}}}
  template:
    metadata: {{labels: {{app: d{number}}}}}
    spec:
      priorityClassName: system-cluster-critical
      nodeSelector: {{kubernetes.io/hostname: node-{number}}}
      containers: [{{name: server, image: "example.com/server:1", resources: {{limits: {{nvidia.com/gpu: 1}}}}}}]
"""
INVENTORY = """\
apiVersion: kubelint-gpu/v1
kind: ClusterInventory
pools:
- {name: node, count: 20, template: {allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 1}}}
"""


def test_each_deadlock_of_a_large_tree_has_a_fix_before_any_has_a_second(tmp_path):
    """Among twenty rollouts each trial may search long: the first proposals are tried, and the rest says it was not."""
    numbers = range(1, 21)
    for number in numbers:
        (tmp_path / f"d{number}.yaml").write_text(PINNED.format(number=number))
    (tmp_path / "kustomization.yaml").write_text(f"resources: {[f'd{number}.yaml' for number in numbers]}\n")
    printed = "---\n".join(PINNED.format(number=number) for number in numbers).encode()
    built = render(tmp_path, Renderer(Program(("none",))), root=tmp_path, cwd=tmp_path, printed=printed)
    readings = (read("i.yaml", INVENTORY.encode()),)
    inventory, errors = load(readings)
    world = ClusterContext(inventory, readings, errors)
    unit = ApplySet((built.reading,), world, rendered=(built,))
    deadlocks = [one for one in check([unit], world).findings if one.code == "KLG101"]
    assert len(deadlocks) == 20
    for one in deadlocks:
        assert one.fixes
        assert one.fixes[0].verified
    assert all("it was not tried" in one.refusals[-1].why for one in deadlocks)
