"""Neovim's own client, without a screen: what it shows stands in docs/editors.md.

Where Neovim is not installed, what it sent when it last ran is sent again and the answers are compared.
"""

from __future__ import annotations

import difflib
import json
import os
import queue
import re
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from editor import COMMAND, ROOT, TRACKER
from tee import message

HERE = Path(__file__).resolve().parent
RECORDING = HERE / "neovim.jsonl"
DOCUMENT = ROOT / "docs" / "editors.md"
BLOCK = re.compile(r"(?<=<!-- transcript: neovim -->\n```text\n).*?(?=```)", re.DOTALL)
FOLDER = "file:///vision"


@pytest.fixture
def folder(tmp_path):
    folder = (tmp_path / "vision").resolve()
    folder.mkdir()
    for name in ("tracker.yaml", "nodes.yaml"):
        shutil.copy(TRACKER / name, folder)
    (folder / ".kubelint-gpu.yaml").write_text("inventory: nodes.yaml\nignore: KLG301\n")
    return folder


def in_neovim(folder, log):
    """What the session shows, and what was said on the way."""
    transcript = folder.parent / "transcript.txt"
    server = [sys.executable, str(HERE / "tee.py"), str(log), str(COMMAND), "lsp"]
    environment = {
        **os.environ,
        "KUBELINT_GPU_SERVER": json.dumps(server),
        "KUBELINT_GPU_TRANSCRIPT": str(transcript),
        "KUBELINT_GPU_MANIFEST": "tracker.yaml",
        "HOME": str(folder.parent),
        "XDG_STATE_HOME": str(folder.parent / "state"),
    }
    session = f"luafile {HERE / 'session.lua'}"
    ran = subprocess.run(
        ["nvim", "--headless", "--clean", "-c", session],
        cwd=folder,
        env=environment,
        capture_output=True,
        check=False,
        timeout=180,
    )
    text = transcript.read_text() if transcript.exists() else ""
    assert ran.returncode == 0, text + ran.stderr.decode()
    return text


def test_neovim_shows_what_the_document_says(folder, request, capsys):
    if shutil.which("nvim") is None:
        assert not os.environ.get("CI"), "Neovim is missing: .ci/tools installs it"
        with capsys.disabled():
            print("\nNeovim is not installed: what it sent when it was recorded is sent again instead")
        replay(folder)
        return
    log = folder.parent / "log.jsonl"
    shown = in_neovim(folder, log)
    text = DOCUMENT.read_text()
    if request.config.getoption("--update"):
        DOCUMENT.write_text(BLOCK.sub(lambda _: shown, text, count=1))
        said = log.read_text().replace(folder.as_uri(), FOLDER).replace(str(folder), "/vision")
        RECORDING.write_text(re.sub(r'("processId": )\d+', r"\1null", said))
        return
    documented = BLOCK.search(text)[0]
    assert shown == documented, "\n".join(difflib.unified_diff(documented.split("\n"), shown.split("\n"), lineterm=""))


def test_what_neovim_sent_is_answered_as_it_was(folder):
    replay(folder)


SNIPPET = re.compile(r"(?<=<!-- snippet: neovim-0.7 -->\n```lua\n).*?(?=```)", re.DOTALL)
SHOWS = """
vim.cmd("filetype on")
vim.cmd("edit sub/tracker.yaml")
vim.cmd("edit sub/again.yaml")
local function found(name)
  return vim.tbl_map(function(one) return one.code end, vim.diagnostic.get(vim.fn.bufnr(name)))
end
vim.wait(30000, function() return #found("tracker.yaml") > 0 and #found("again.yaml") > 0 end, 20)
local told = { found("tracker.yaml")[1], found("again.yaml")[1] }
for _, one in pairs(vim.lsp.get_active_clients()) do
  table.insert(told, one.config.root_dir)
end
vim.fn.writefile(told, "shown.txt")
vim.cmd("qall!")
"""


def test_the_snippet_for_old_neovims_starts_one_server_for_a_folder(folder):
    snippet = SNIPPET.search(DOCUMENT.read_text())[0]
    neovim = shutil.which("nvim")
    if neovim is None:
        assert not os.environ.get("CI"), "Neovim is missing: .ci/tools installs it"
        assert snippet.count('{ "kubelint-gpu", "lsp" }') == 1
        return
    version = tuple(
        map(
            int,
            re.findall(
                r"\d+", subprocess.run([neovim, "--version"], capture_output=True, text=True, check=True).stdout
            )[:2],
        )
    )
    if version >= (0, 11):
        assert "neovim-0.11" in DOCUMENT.read_text()
        return
    (folder / "sub").mkdir()
    for name in ("tracker.yaml", "again.yaml"):
        shutil.copy(TRACKER / "tracker.yaml", folder / "sub" / name)
    script = folder / "init.lua"
    script.write_text(snippet.replace('"kubelint-gpu"', json.dumps(str(COMMAND))) + SHOWS)
    ran = subprocess.run(
        [neovim, "--headless", "--clean", "-c", f"luafile {script}"],
        cwd=folder,
        env={**os.environ, "HOME": str(folder.parent), "XDG_STATE_HOME": str(folder.parent / "state")},
        capture_output=True,
        check=False,
        timeout=120,
    )
    assert (folder / "shown.txt").exists(), ran.stderr.decode()
    assert (folder / "shown.txt").read_text().split("\n")[:-1] == ["KLG101", "KLG101", str(folder)], ran.stderr.decode()


def replay(folder):
    lines = RECORDING.read_text().replace(FOLDER, folder.as_uri()).replace('"/vision', f'"{folder}').splitlines()
    server = subprocess.Popen([str(COMMAND), "lsp"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        answers = queue.Queue()
        threading.Thread(target=listen, args=(server.stdout, answers), daemon=True).start()
        compared, waiting = 0, []
        for who, one in map(json.loads, lines):
            if who == "client" and "method" in one:
                body = json.dumps(one).encode()
                server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                server.stdin.flush()
            elif who == "server" and (wanted := essence(one)) is not None:
                while wanted not in waiting:
                    waiting.append(essence(answers.get(timeout=30)))
                waiting.remove(wanted)
                compared += 1
        assert compared > 10
        assert server.wait(timeout=30) == 0
    finally:
        server.kill()
        server.wait()
        server.stdin.close()
        server.stdout.close()


def listen(stream, answers):
    while (body := message(stream)) is not None:
        answers.put(json.loads(body))


def essence(one):
    """What of a message must be the same later: not the wording."""
    if one.get("method") == "textDocument/publishDiagnostics":
        found = [(each.get("code"), each["range"], each["severity"]) for each in one["params"]["diagnostics"]]
        return [one["params"]["uri"].rpartition("/")[2], one["params"].get("version"), found]
    if "method" in one or "id" not in one:
        return None
    result = one.get("result")
    if isinstance(result, dict) and "capabilities" in result:
        return [one["id"], sorted(result["capabilities"])]
    if isinstance(result, dict) and "items" in result:
        return [one["id"], [each["label"] for each in result["items"]]]
    if isinstance(result, dict) and "contents" in result:
        return [one["id"], result.get("range"), result["contents"]["value"][:10]]
    if isinstance(result, list):
        return [one["id"], [(each["title"][:6], each.get("kind"), "edit" in each) for each in result]]
    return [one["id"], result]
