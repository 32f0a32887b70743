"""What the fuzzing targets are, what they start from, and how their input is changed.

    python tests/hostile/fuzzing.py [TARGET...] (--runs N | --seconds S) [--seed SEED]

makes so many runs of each target, or runs it for so many seconds; without a name, of all targets, each in a process of its
own. An input that ends a run with an exception, or takes more time or memory than it may, is written to the corpus of the
target, where every run of the tests reads it again. A seed gives the same inputs every time; `.ci/run` takes the number of commits.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import math
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from hypothesis import HealthCheck, Phase, Verbosity, given, seed, settings
from hypothesis import strategies as st

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
CORPUS = HERE / "corpus"
SECONDS = 5
MEMORY = 512 * 1024**2
_SNIPPETS = [
    *(b"null", b"''", b"[]", b"{}", b"[[]]", b"{'': ''}", b"true", b"-1", b"0", b"1.5", b"1e39", b"1e100", b"9" * 25),
    *(b"2147483648", b"9223372036854775808", b"-0", b".inf", b"0x1f", b"12:30", b"2001-01-01", b"~", b"<<", b"*a"),
    *(b"&a ", b"<<: *a", b"!!str ", b"!!binary ", b"|", b">-", b"? ", b"- ", b": ", b"---\n", b"...\n", b"%A 1\n", b"# "),
    *(b"\r\n", b"\r", b"\n", b"\t", b"  ", b"\0", b"\xff", b"\xef\xbb\xbf", "\u2028".encode(), "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16").encode()),
    *(b'"', b"'", b"{", b"}", b"[", b"]", b",", b":", b"\\", b"${A}", b"{{ .a }}", b"a/b", b"../", b"**/", b"(a+)+", b"%"),
    *(b"100%", b"1Gi", b"1m", b"1Ei", b"-1Gi", b"0.0001", b"1k", b"a" * 64, b"A_b", b"x" * 300, "é".encode(), b"KLG101"),
]  # fmt: skip


def of_reader(data: bytes) -> None:
    from kubelint_gpu.documents import comments, items, read

    for path, skimmed in (("x.yaml", ()), ("x.json", ("Deployment",))):
        reading = read(path, data, skimmed=skimmed)
        for document in reading.documents:
            for item in items(document):
                for key in item.value:
                    item.locate((key,), "key")
        if reading.source is not None:
            comments(reading)


def of_inventory(data: bytes) -> None:
    from kubelint_gpu.cli.commands.inventory_capture import captured
    from kubelint_gpu.documents import items, read
    from kubelint_gpu.inventory import contradictions, load
    from kubelint_gpu.inventory.view.table import render, to_json
    from kubelint_gpu.sources.kubectl import Answers
    from kubelint_gpu.workspace.cluster_context import ClusterContext

    reading = read("x.yaml", data)
    inventory, errors = load((reading,))
    list(contradictions(inventory))
    world = ClusterContext(inventory, (reading,), errors)
    world.snapshot(world.base, pods=True)
    if world.usable:
        render(inventory)
        to_json(inventory)
    objects = tuple(item.value for document in reading.documents for item in items(document))
    for anonymize in (False, True):
        captured(Answers(objects, "v1.34.1", "", ()), anonymize=anonymize)


def of_configuration(data: bytes) -> None:
    from kubelint_gpu.documents import read
    from kubelint_gpu.engine.selection import per_path_problems, select
    from kubelint_gpu.workspace.project.configuration_file import interpret

    try:
        found = interpret(Path(".kubelint-gpu.yaml"), read(".kubelint-gpu.yaml", data))
        selection = select(found, (), (), None)
    except click.ClickException:
        return
    selection.off()
    list(per_path_problems(found))
    for path in ("prod/a/b/x1.yaml", "a/c", "old/é.yaml"):
        found.clusters_of(path)
        found.is_context(path)
        found.unit_of(path)
        list(found.ignores(path))


class _Files:
    """A tree in memory: whatever is asked for in a folder that is known."""

    def __init__(self, texts: dict[str, bytes]) -> None:
        self._texts = texts

    def is_folder(self, path: str) -> bool:
        return path == "" or any(known.startswith(f"{path}/") for known in self._texts)

    def is_file(self, path: str) -> bool:
        return path in self._texts

    def leads_out(self, path: str) -> bool:
        return path.startswith("out")

    def canonical(self, path: str) -> str:
        return path

    def size(self, path: str) -> int | None:
        return len(self._texts[path]) if path in self._texts else None

    def read(self, path: str) -> bytes | None:
        return self._texts.get(path)


_DEPLOYMENT = b"""\
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec: {replicas: 1, template: {spec: {containers: [{name: c, image: "x:1"}], volumes: [{name: v, emptyDir: {}}]}}}
"""
_LAYER = b"resources: [deployment.yaml]\nnamePrefix: base-\n"


def of_kustomization(data: bytes) -> None:
    from kubelint_gpu.sources.kustomize.accumulation.retrace import trace
    from kubelint_gpu.sources.kustomize.build_errors import WorkingCopy, complaint
    from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles
    from kubelint_gpu.sources.kustomize.files.surveyor import survey

    texts = {
        "deployment.yaml": _DEPLOYMENT,
        "patch.yaml": _DEPLOYMENT.replace(b"replicas: 1", b"replicas: 4"),
        "json.yaml": b"- {op: test, path: /spec/replicas, value: 1}\n- {op: remove, path: /spec/replicas}\n",
        "env": b"A=B\n#c\n D\n",
        "transformer.yaml": b"apiVersion: builtin\nkind: LabelTransformer\nmetadata: {name: l}\nlabels: {a: b}\n",
        "base/kustomization.yaml": _LAYER,
        "base/deployment.yaml": _DEPLOYMENT,
        "component/kustomization.yaml": b"apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\nnameSuffix: -c\n",
        "kustomization.yaml": data,
    }
    found = survey(_Files(texts), "", lambda path: path, AllowedFiles())
    if "" in found.kustomizations and not found.obstacles:
        trace(found)
        text = data[:2000].decode(errors="replace")
        for message in (text, f"error: nothing selected by Deployment/web. '{text[:40]}' must resolve to a file"):
            complaint(message, WorkingCopy(Path("tree"), Path("home"), "tree"), found, lambda path: path)


def of_baseline(data: bytes) -> None:
    from kubelint_gpu.engine.baseline import load_baseline

    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        file.write(data)
        file.flush()
        try:
            load_baseline(file.name)
        except click.ClickException:
            return


def of_check(data: bytes) -> None:
    files = {"x.yaml": data, "i.yaml": (CORPUS / "inventory" / "concise.yaml").read_bytes()}
    for inventory in ("i.yaml", "x.yaml"):
        _checked(files, "--output-format", "json", "-i", inventory, "x.yaml")


def of_names(data: bytes) -> None:
    name = os.fsdecode(data.strip(b"\n").replace(b"/", b"_").replace(b"\0", b"_")[:200] + b".yaml")
    for output in ("text", "concise", "sarif"):
        _checked({name: _DEPLOYMENT}, "--output-format", output, ".")


def _checked(files: dict[str, bytes], *arguments: str) -> None:
    from click.testing import CliRunner

    from kubelint_gpu.cli.main import main

    with tempfile.TemporaryDirectory() as folder:
        before = Path.cwd()
        os.chdir(folder)
        try:
            for name, data in files.items():
                Path(name).write_bytes(data)
            done = CliRunner().invoke(main, ["check", *arguments])
            if done.exception is not None and not isinstance(done.exception, SystemExit):
                raise done.exception
            assert done.exit_code in (0, 1, 2), done.output
            assert "please report it" not in done.output, done.output
        finally:
            os.chdir(before)


TARGETS = {
    "reader": of_reader,
    "inventory": of_inventory,
    "configuration": of_configuration,
    "kustomization": of_kustomization,
    "baseline": of_baseline,
    "check": of_check,
    "names": of_names,
}
_EXAMPLES = {"reader": "*/*.yaml", "inventory": "*/inventory.yaml"}


def corpus(target: str) -> list[bytes]:
    """What the runs of a target start from: examples of the repository, and what is kept for it."""
    kept = sorted((CORPUS / target).iterdir())
    examples = sorted((ROOT / "examples").glob(_EXAMPLES[target])) if target in _EXAMPLES else []
    if target == "check":
        examples = sorted((ROOT / "examples").glob("*/[!i]*.yaml"))
    return [path.read_bytes() for path in (*kept, *examples)]


@st.composite
def inputs(draw, kept: list[bytes]) -> bytes:
    """An input of the corpus with some changes: lines and values come, go, move and are replaced."""
    data = draw(st.sampled_from(kept))
    for _ in range(draw(st.integers(1, 6))):
        change = draw(st.integers(0, 6))
        if change == 0:
            at = draw(st.integers(0, len(data)))
            data = data[:at] + draw(st.sampled_from(_SNIPPETS)) + data[at:]
        elif change == 1:
            at = draw(st.integers(0, len(data)))
            data = data[:at] + data[at + draw(st.integers(1, 40)) :]
        elif change == 2:
            at = draw(st.integers(0, len(data)))
            data = data[:at] + draw(st.binary(min_size=1, max_size=4)) + data[at + 1 :]
        elif change == 3:
            lines = data.splitlines(keepends=True) or [b""]
            source, place = draw(st.integers(0, len(lines) - 1)), draw(st.integers(0, len(lines)))
            lines.insert(place, lines[source])
            data = b"".join(lines)
        elif change == 4:
            other = draw(st.sampled_from(kept))
            begin = draw(st.integers(0, len(other)))
            at = draw(st.integers(0, len(data)))
            data = data[:at] + other[begin : begin + draw(st.integers(1, 200))] + data[at:]
        else:
            # a value for another one: what stands between a colon or a comma and the next mark
            places = [number for number, byte in enumerate(data) if byte in b":,["]
            if places:
                at = places[draw(st.integers(0, len(places) - 1))] + 1
                end = next((number for number in range(at, len(data)) if data[number] in b",\n]}"), len(data))
                data = data[:at] + b" " + draw(st.sampled_from(_SNIPPETS)) + data[end:]
    return data


def bounded(target: str, data: bytes) -> float:
    """Make one run, and say how many seconds of CPU it took; one that takes too long is ended."""

    def ended(*_):
        raise TimeoutError(f"more than {SECONDS} s")

    signal.signal(signal.SIGPROF, ended)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    before = time.process_time()
    try:
        TARGETS[target](data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - before


def fuzz(target: str, runs: int, number: int, failed) -> float:
    """Make some runs; `failed` gets the input and the exception of those that fail. Gives the longest time of a run."""
    longest = 0.0

    @seed(number)
    @settings(
        max_examples=runs,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
    )
    @given(inputs(corpus(target)))
    def each(data):
        nonlocal longest
        try:
            longest = max(longest, bounded(target, data))
        except Exception as error:  # noqa: BLE001 - whatever ends a run is what is looked for
            failed(data, error)

    each()
    return longest


BATCH = 500


def campaign(target: str, runs: float, seconds: float, first: int) -> int:
    """Make runs of one target until there are so many or the time is over. Gives 1 where a run failed."""
    bounded(target, corpus(target)[0])
    size = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + MEMORY, size + MEMORY))
    seen = set()

    def failed(data, error):
        at = error.__traceback__
        while at.tb_next is not None:
            at = at.tb_next
        place = type(error).__name__, at.tb_frame.f_code.co_filename, at.tb_lineno
        if place not in seen:
            seen.add(place)
            kept = CORPUS / target / f"{hashlib.sha256(data).hexdigest()[:16]}.yaml"
            kept.write_bytes(data)
            print(f"{kept}: {error!r} at {place[1]}:{place[2]}", flush=True)

    longest, made, end = 0.0, 0, time.monotonic() + seconds
    for number in itertools.count(first):
        if made >= runs or time.monotonic() >= end:
            break
        batch = int(min(BATCH, runs - made))
        longest = max(longest, fuzz(target, batch, number, failed))
        made += batch
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"{target}: {made} runs, {len(seen)} kinds of failures, longest {longest:.2f} s, peak {peak} MB", flush=True)
    return 1 if seen else 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "targets", nargs="*", metavar="TARGET", help=f"of {', '.join(sorted(TARGETS))}; all of them if none is named"
    )
    parser.add_argument("--seed", type=int, default=1)
    much = parser.add_mutually_exclusive_group(required=True)
    much.add_argument("--runs", type=int, default=math.inf)
    much.add_argument("--seconds", type=float, default=math.inf)
    asked = parser.parse_args()
    targets = asked.targets or sorted(TARGETS)
    for unknown in set(targets) - set(TARGETS):
        parser.error(f"there is no target {unknown!r}")
    if len(targets) == 1:
        return campaign(targets[0], asked.runs, asked.seconds, asked.seed)
    limit = ["--seconds", str(asked.seconds)] if asked.runs == math.inf else ["--runs", str(asked.runs)]
    command = [sys.executable, __file__, "--seed", str(asked.seed), *limit]
    return max([subprocess.run([*command, target], check=False).returncode for target in targets])


if __name__ == "__main__":
    sys.exit(main())
