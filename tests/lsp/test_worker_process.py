"""The processes that check for an editor."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from editor import COMMAND, editing

pytestmark = pytest.mark.asyncio


def children(pid):
    """The processes that a process has started."""
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(one) for one in listed.stdout.split()]


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


async def gone(pids, seconds=60.0):
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < end, "a process is left"
        await asyncio.sleep(0.05)


async def test_a_check_that_is_killed_is_said_and_the_next_change_is_checked(folder):
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        server = editor.client._server.pid
        workers = children(server)
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        editor.change("tracker.yaml", "# a\n", ((0, 0), (0, 0)))
        found = await editor.diagnostics("tracker.yaml")
        if not [one for one in found if one.code == "KLG101"]:
            assert "ended by itself" in found[0].message
            editor.change("tracker.yaml", "# b\n", ((0, 0), (0, 0)))
            found = await editor.diagnostics("tracker.yaml")
        assert [one.code for one in found] == ["KLG101"]
        assert (await editor.hover("tracker.yaml", found[0].range.start.line, 0)) is not None


async def test_a_module_in_the_folder_of_the_manifests_is_not_run(folder):
    for name in ("json.py", "kubelint_gpu.py", "click.py", "ruamel.py"):
        (folder / name).write_text("raise SystemExit('somebody else is running')\n")
    command = f"cd {folder} && exec {COMMAND} lsp"
    process = await asyncio.create_subprocess_exec(
        "bash", "-c", command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    )
    ready = b'{"jsonrpc":"2.0","method":"initialized","params":{}}'
    for one in (body, ready):
        process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(one) + one)
    await process.stdin.drain()
    end = time.monotonic() + 60
    while len(workers := children(process.pid)) < 2:
        assert time.monotonic() < end
        await asyncio.sleep(0.05)
    await asyncio.sleep(2)
    assert all(alive(worker) for worker in workers)
    process.stdin.close()
    _, err = await asyncio.wait_for(process.communicate(), 20)
    assert b"somebody else" not in err
    await gone(workers)


@pytest.mark.parametrize("how", ["politely", "end of input", "kill"])
async def test_no_process_is_left(folder, how):
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        server = editor.client._server
        workers = children(server.pid)
        assert len(workers) == 2
        if how == "politely":
            await editor.client.shutdown_session()
            assert server.returncode == 0
        elif how == "kill":
            server.kill()
        else:
            server._transport.get_pipe_transport(0).close()
        await gone([server.pid, *workers])
        editor.ended = True


async def test_a_thousand_rapid_edits_are_a_few_checks_and_the_last_text_counts(folder):
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        editor.published.clear()
        for number in range(999):
            editor.change("tracker.yaml", f"# {number}\n", ((0, 0), (0, 0)))
        editor.change("tracker.yaml", "x", ((1007, 0), (1007, 4)))
        seen = []
        while not seen or seen[-1].version != 1001:
            seen.append(await editor.until(lambda one: one.uri == editor.uri("tracker.yaml"), 60))
        assert "KLG101" not in [one.code for one in seen[-1].diagnostics]
        assert len(seen) <= 10
        await asyncio.sleep(1)
        assert editor.published == []
