"""How long an editor waits: from a change of the tracker example to its diagnostics, and for hover and completion.

`python benchmarks/editor_latency.py [CHANGES]`, with the extra `test` installed. The delay after the last change, which
is there on purpose, is part of the first figure.
"""

from __future__ import annotations

import asyncio
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests" / "lsp"))

from editor import TRACKER, editing

from kubelint_gpu.lsp.worker_process import DELAY


def prepared(folder):
    for file in ("tracker.yaml", "nodes.yaml"):
        shutil.copy(TRACKER / file, folder)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: nodes.yaml\n")
    return folder.resolve()


async def measure(changes):
    with tempfile.TemporaryDirectory() as name:
        folder = prepared(Path(name))
        begun = time.perf_counter()
        async with editing(folder) as editor:
            editor.open("tracker.yaml")
            await editor.diagnostics("tracker.yaml")
            print(f"from the start of the server to the first diagnostics: {time.perf_counter() - begun:.2f} s")
            waits = {"change to diagnostics": [], "hover": [], "completion": []}
            for number in range(changes):
                begun = time.perf_counter()
                editor.change("tracker.yaml", f"# {number}\n", ((0, 0), (1 if number else 0, 0)))
                await editor.diagnostics("tracker.yaml")
                waits["change to diagnostics"].append(time.perf_counter() - begun)
                begun = time.perf_counter()
                await editor.hover("tracker.yaml", 2, 2)
                waits["hover"].append(time.perf_counter() - begun)
                begun = time.perf_counter()
                await editor.complete("tracker.yaml", 41, 32)
                waits["completion"].append(time.perf_counter() - begun)
    for what, seconds in waits.items():
        ordered = sorted(1000 * one for one in seconds)
        late = ordered[int(0.95 * (len(ordered) - 1))]
        print(f"{what}: median {statistics.median(ordered):.0f} ms, 95% within {late:.0f} ms")
    print(f"of the first, {1000 * DELAY:.0f} ms are the delay after the last change")


if __name__ == "__main__":
    asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 50))
