"""A run with what earlier runs have kept says, byte for byte, what a run without it says."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubelint_gpu.cli.main import main
from kubelint_gpu.report.format_names import DRAWING
from kubelint_gpu.report.format_names import FORMATS as DRAWN

ROOT = Path(__file__).resolve().parents[2]
SECONDS = re.compile(r"(?<= in )[\d.]+ ?m?s|(?<=\"seconds\": )[\d.]+|(?<= time=\")[\d.]+")
NODES = """apiVersion: v1
kind: Node
metadata: {name: gpu-1, labels: {kubernetes.io/hostname: gpu-1}}
status: {allocatable: {cpu: 8, memory: 32Gi, pods: 110, nvidia.com/gpu: 1}}
"""
FILES = ("--unit", "file")
"""Each file is a unit, and what is kept of a unit is kept of a file."""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.delenv("KUBELINT_GPU_NO_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    work = tmp_path / "work"
    work.mkdir()
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def news(tmp_path):
    """How many entries the folder of results has more than when it was asked last."""
    known: set[bytes] = set()

    def count():
        there = {line for path in (tmp_path / "cache").rglob("results-1/*") for line in path.read_bytes().splitlines()}
        new = len(there - known)
        known.update(there)
        return new

    return count


def check(*arguments):
    ran = CliRunner().invoke(main, ["check", *map(str, arguments)], standalone_mode=False)
    assert ran.exception is None, ran.exception
    return ran.return_value, SECONDS.sub("0", ran.stdout), ran.stderr


def workload(name, gpus=1, extra="", namespace="team"):
    return f"""apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: {namespace}
spec:
  replicas: 1
  selector: {{matchLabels: {{app: {name}}}}}
  template:
    metadata: {{labels: {{app: {name}}}}}
    spec:
      {extra}
      containers:
      - name: main
        image: example.com/x:1
        resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}
"""


def shared(kind, name, **more):
    group = {"PriorityClass": "scheduling.k8s.io/v1", "RuntimeClass": "node.k8s.io/v1"}.get(kind, "v1")
    return json.dumps({"apiVersion": group, "kind": kind, "metadata": {"name": name}, **more}) + "\n"


def filled(folder, count=5):
    for number in range(count):
        (folder / f"w{number}.yaml").write_text(workload(f"w{number}"))
    (folder / "nodes.yaml").write_text(NODES)


def test_a_second_run_judges_nothing_and_says_the_same(folder, news):
    filled(folder)
    first = check(".", "-i", "nodes.yaml", *FILES, "--no-cache")
    assert news() == 0
    assert check(".", "-i", "nodes.yaml", *FILES) == first
    # of each file what it holds, and what is found in it; so of the cluster, which is read; and what the run said
    assert news() == 14
    assert check(".", "-i", "nodes.yaml", *FILES) == first
    assert news() == 0


def test_one_changed_file_costs_one_file(folder, news):
    filled(folder)
    check(".", "-i", "nodes.yaml", *FILES)
    news()
    (folder / "w3.yaml").write_text(workload("w3", 4))
    second = check(".", "-i", "nodes.yaml", *FILES)
    assert news() == 3
    assert check(".", "-i", "nodes.yaml", *FILES, "--no-cache") == second


def test_a_namespace_of_its_own_in_each_file_changes_nothing_of_that(folder, news):
    filled(folder)
    for number in range(5):
        with (folder / f"w{number}.yaml").open("a") as file:
            file.write("---\n" + shared("Namespace", f"n{number}"))
    check(".", "-i", "nodes.yaml", *FILES)
    news()
    text = (folder / "w3.yaml").read_text().replace("nvidia.com/gpu: 1", "nvidia.com/gpu: 4")
    (folder / "w3.yaml").write_text(text)
    second = check(".", "-i", "nodes.yaml", *FILES)
    assert news() == 3
    assert check(".", "-i", "nodes.yaml", *FILES, "--no-cache") == second


@pytest.mark.parametrize(
    ("added", "more"),
    [
        (shared("Namespace", "other"), 3),
        (shared("Namespace", "apart"), 4),
        (shared("RuntimeClass", "nvidia"), 3),
        (shared("StorageClass", "fast"), 3),
        (shared("PriorityClass", "high", value=10), 43),
    ],
)
def test_an_object_of_the_cluster_that_is_added_costs_those_that_need_it(folder, news, added, more):
    filled(folder, 40)
    (folder / "w3.yaml").write_text(workload("w3", namespace="apart"))
    (folder / "c.yaml").write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n")
    check(".", "-i", "nodes.yaml", *FILES)
    news()
    (folder / "x.yaml").write_text(added)
    second = check(".", "-i", "nodes.yaml", *FILES)
    assert news() == more
    assert check(".", "-i", "nodes.yaml", *FILES, "--no-cache") == second


@pytest.mark.parametrize(
    "change",
    [
        lambda at: (at / "x.yaml").write_text(shared("PriorityClass", "high", value=10)),
        lambda at: (at / "x.yaml").write_text(shared("Namespace", "team")),
        lambda at: (at / "nodes.yaml").write_text(NODES.replace("gpu: 1", "gpu: 2")),
        lambda at: (at / "nodes.yaml").write_text(NODES.replace("gpu-1", "gpu-2")),
        lambda at: (at / "w0.yaml").rename(at / "w9.yaml"),
        lambda at: (at / "w0.yaml").write_bytes(b"\xef\xbb\xbf" + (at / "w0.yaml").read_bytes()),
        lambda at: (at / "w0.yaml").write_text("\n" + (at / "w0.yaml").read_text()),
    ],
)
def test_what_decides_is_part_of_the_key(folder, change):
    filled(folder)
    (folder / "w1.yaml").write_text(workload("w1", extra="priorityClassName: high"))
    check(".", "-i", "nodes.yaml")
    change(folder)
    assert check(".", "-i", "nodes.yaml") == check(".", "-i", "nodes.yaml", "--no-cache")


@pytest.mark.parametrize(
    "options",
    [("--no-ignores",), ("--ignore", "KLG1"), ("--select", "KLG4"), ("--without-node", "gpu-1"), ("--together",)],
)
def test_options_that_decide_are_part_of_the_key(folder, options):
    filled(folder)
    (folder / "nodes.yaml").write_text(NODES + "---\n" + NODES.replace("gpu-1", "gpu-2"))
    (folder / "w1.yaml").write_text("# kubelint-gpu: ignore[KLG1] known\n" + workload("w1", 3))
    check(".", "-i", "nodes.yaml")
    assert check(".", "-i", "nodes.yaml", *options) == check(".", "-i", "nodes.yaml", *options, "--no-cache")


@pytest.mark.parametrize("until", ["until=2026-06-01", "unt\\x69l=2026-06-01"])
def test_a_suppression_ends_although_nothing_was_changed(folder, monkeypatch, until):
    filled(folder, 1)
    text = workload("w0", 3).replace(
        "  name: w0\n", f'  name: w0\n  annotations: {{kubelint-gpu/ignore: "KLG2: {until} known"}}\n', 1
    )
    (folder / "w0.yaml").write_text(text)
    told = []
    for day in ("2026-05-31", "2026-06-02"):
        monkeypatch.setattr(time, "strftime", lambda *_, day=day: day)
        told.append(check(".", "-i", "nodes.yaml"))
        assert told[-1] == check(".", "-i", "nodes.yaml", "--no-cache")
    assert told[0] != told[1]


def test_a_cache_that_the_checkout_brings_is_not_read_and_not_written(folder, monkeypatch, tmp_path):
    filled(folder)
    first = check(".", "-i", "nodes.yaml")
    shutil.move(tmp_path / "cache", folder / ".cache")
    held = {path: path.read_bytes() for path in (folder / ".cache").rglob("results-1/*")}
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / ".cache"))
    (folder / "w3.yaml").write_text(workload("w3", 4))
    assert check(".", "-i", "nodes.yaml") != first
    assert {path: path.read_bytes() for path in (folder / ".cache").rglob("results-1/*")} == held


def test_false_entries_change_nothing(folder, tmp_path):
    filled(folder)
    first = check(".", "-i", "nodes.yaml")
    for path in (tmp_path / "cache").rglob("*"):
        if path.is_file():
            path.write_bytes(path.read_bytes().replace(b"error", b"note ").replace(b"[", b"{", 1))
    assert check(".", "-i", "nodes.yaml") == first
    assert check(".", "-i", "nodes.yaml") == first


def test_files_with_problems_are_judged_anew_for_what_decides_lies_elsewhere(folder):
    (folder / "t").mkdir()
    (folder / "t" / "a.yaml").write_text("a: {{ .Values.x }}\n")
    check("t")
    (folder / "Chart.yaml").write_text("name: x\n")
    assert check("t") == check("t", "--no-cache")


FORMATS = sorted(set(DRAWN) - DRAWING)


@pytest.mark.parametrize(
    "example", sorted(path.name for path in (ROOT / "examples").iterdir() if (path / "nodes.yaml").exists())
)
def test_every_format_has_the_same_bytes(folder, example):
    shutil.copytree(ROOT / "examples" / example, folder / example)
    paired = [part for name in FORMATS for part in ("--output-format", name, "--output-file", f"../{name}.out")]
    said = []
    for more in (["--no-cache"], [], []):
        check(example, "-i", f"{example}/nodes.yaml", *paired, *more)
        said.append([SECONDS.sub("0", (folder.parent / f"{name}.out").read_text()) for name in FORMATS])
    assert said[0] == said[1] == said[2]


_APART = "{topologyKey: kubernetes.io/hostname, labelSelector: {}, namespaceSelector: {}}"
_EXTRAS = st.sampled_from(
    [
        "",
        "priorityClassName: high",
        "runtimeClassName: nvidia",
        "nodeName: gpu-1",
        "nodeName: gone",
        f"affinity: {{podAntiAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: [{_APART}]}}}}",
        "volumes: [{name: v, persistentVolumeClaim: {claimName: c}}]",
        "schedulingGates: [{name: node.k8s.io/x}]",
    ]
)
_CLAIM = """apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: c, namespace: team}
spec: {accessModes: [ReadWriteOnce], storageClassName: nvidia, resources: {requests: {storage: 1Gi}}}
"""
_FILES = st.one_of(
    st.builds(workload, st.sampled_from("ab"), st.integers(0, 2), _EXTRAS, st.sampled_from(["team", "other"])),
    st.builds(shared, st.just("PriorityClass"), st.just("high"), value=st.integers(0, 1), globalDefault=st.booleans()),
    st.builds(
        shared, st.sampled_from(["Namespace", "RuntimeClass", "StorageClass"]), st.sampled_from(["team", "nvidia"])
    ),
    st.sampled_from(["a: b\n  c", _CLAIM]),
)
_EDITS = st.lists(
    st.tuples(st.sampled_from("xyz"), st.none() | st.lists(_FILES, min_size=1, max_size=2)), min_size=1, max_size=4
)


@given(_EDITS, st.integers(0, 2))
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_after_any_edit_the_same_is_said(folder, edits, gpus):
    for path in folder.iterdir():
        path.unlink()
    (folder / "w.yaml").write_text(workload("w", extra="priorityClassName: high"))
    (folder / "nodes.yaml").write_text(NODES.replace("gpu: 1", f"gpu: {gpus}"))
    for name, documents in edits:
        path = folder / f"{name}.yaml"
        if documents is None:
            path.unlink(missing_ok=True)
        else:
            path.write_text("---\n".join(documents))
        assert check(".", "-i", "nodes.yaml") == check(".", "-i", "nodes.yaml", "--no-cache")
