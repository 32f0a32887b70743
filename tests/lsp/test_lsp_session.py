"""Nothing an editor sends ends the server, nothing piles up, and nothing is left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest
from editor import COMMAND, TRACKER, editing
from lsprotocol import types

pytestmark = pytest.mark.asyncio

TEXT = (TRACKER / "tracker.yaml").read_text()


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


async def gone(pids, seconds=10.0):
    end = time.monotonic() + seconds
    while any(alive(pid) for pid in pids):
        assert time.monotonic() < end, "a process is left"
        await asyncio.sleep(0.05)


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


async def test_the_server_answers_while_a_check_runs(folder):
    many = "---\n".join(TEXT.replace("object-tracker", f"tracker-{number}") for number in range(150))
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        editor.open("many.yaml", many)
        await asyncio.sleep(0.5)
        begun = time.monotonic()
        assert await editor.complete("tracker.yaml", 40, 8)
        assert time.monotonic() - begun < 10
        # a check whose text has changed is ended and the new text checked
        editor.change("many.yaml", "kind: [\n")
        found = await editor.diagnostics("many.yaml")
        assert [one.code for one in found] == ["KLG001"]


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


async def test_a_rule_that_crashes_is_a_diagnostic(folder, monkeypatch):
    (folder / "sitecustomize.py").write_text(
        "import kubelint_gpu.engine.registry as registry\n"
        "real = registry.checks\n"
        "def checks():\n"
        "    def crash(unit): raise RuntimeError('a rule that fails')\n"
        "    return {**real(), 'KLG101': crash}\n"
        "registry.checks = checks\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(folder))
    async with editing(folder) as editor:
        editor.open("tracker.yaml")
        found = await editor.diagnostics("tracker.yaml")
        assert [one.code for one in found] == ["KLG000"]
        assert "a rule that fails" in found[0].message


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
    end = time.monotonic() + 30
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


async def test_a_huge_file_is_refused_kindly(folder):
    async with editing(folder) as editor:
        editor.open("huge.yaml", "# " + "x" * 5_000_000 + "\n")
        (one,) = await editor.diagnostics("huge.yaml")
        assert one.severity == types.DiagnosticSeverity.Information
        assert "kubelint-gpu check reads it" in one.message
        assert await editor.hover("huge.yaml", 0, 0) is None
        editor.open("tracker.yaml")
        assert [one.code for one in await editor.diagnostics("tracker.yaml")] == ["KLG101"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\ufeff",
        "\0\0",
        "a: &a [*a, *a]\n",
        "&a [*a]\n",
        "{" * 3000,
        "- " * 3000,
        "kind: Deployment\nspec: 7\n",
        "kind: Pod\nmetadata: [x]\nspec: {containers: {}}\n",
        "\ud800kind: Pod",
        "kind: ClusterInventory\nnodes: 7\n",
        "# kubelint-gpu: ignore[KLG101\n# kubelint-gpu: ignore[]\n# kubelint-gpu:\n",
        "\u2028\x85\x0b---\r\r---\n",
        "x: |\n  " + "{{ a }}\n" * 50,
    ],
)
async def test_whatever_is_typed_is_answered(folder, text):
    async with editing(folder) as editor:
        editor.open("odd.yaml", text)
        await editor.diagnostics("odd.yaml")
        for line, character in ((0, 0), (0, 5), (1, 3), (9999, 9999)):
            await editor.hover("odd.yaml", line, character)
            await editor.complete("odd.yaml", line, character)
            await editor.actions("odd.yaml", line, character)
        editor.change("odd.yaml", "# a", ((0, 0), (9999, 9999)))
        assert await editor.diagnostics("odd.yaml") == []
        assert editor.logged == []
        assert editor.shown == []


async def test_documents_that_are_no_files_are_checked(folder):
    async with editing(folder) as editor:
        editor.open("untitled:Untitled-1", TEXT)
        assert await editor.diagnostics("untitled:Untitled-1")
        editor.open("git:/x/y%20z.yaml?%7B%7D", "kind: [")
        assert [one.code for one in await editor.diagnostics("git:/x/y%20z.yaml?%7B%7D")] == ["KLG001"]


@pytest.mark.parametrize("option", ["--inventory", "--config"])
async def test_a_file_of_the_command_line_that_is_not_there_is_told_and_taken_when_it_comes(folder, option):
    later = {"--inventory": (TRACKER / "nodes.yaml").read_text(), "--config": "inventory: cluster.yaml\n"}[option]
    (folder / ".kubelint-gpu.yaml").unlink()
    async with editing(folder, option, str(folder / "nope.yaml")) as editor:
        editor.open("tracker.yaml")
        await editor.diagnostics("tracker.yaml")
        (told,) = editor.shown
        assert "nope.yaml cannot be read" in told
        (folder / "nope.yaml").write_text(later)
        editor.client.text_document_did_save(
            types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(editor.uri("tracker.yaml")))
        )
        await editor.until(lambda one: any(found.code == "KLG101" for found in one.diagnostics))
