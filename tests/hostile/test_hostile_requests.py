"""The language server answers every request, whatever it holds, and goes on."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from contextlib import contextmanager
from threading import Timer

import pytest
from hostile_files import INVENTORY, deployment
from limited import ROOT

FIX_ALL = "source.fixAll.kubelint-gpu"
REQUESTS = ("hover", "completion", "codeAction")
ODD = (None, True, -1, 1.5, 2**31, 2**70, "", "x", "\0", "\ud800", "file:///%00", "file://[", [], [1], {}, {"uri": 1})


class Wire:
    """The messages of an editor, as they are written."""

    def __init__(self, process):
        self.process = process
        self.asked = 0

    def write(self, body):
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def send(self, **message):
        self.write(json.dumps({"jsonrpc": "2.0", **message}).encode())

    def read(self):
        """The next message."""
        size = 0
        while (line := self.process.stdout.readline()) not in (b"\r\n", b""):
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(size))

    def answer(self, number):
        """The answer of a request; what the server asks is answered meanwhile."""
        while True:
            found = self.read()
            if "method" not in found and found.get("id") == number:
                assert ("error" in found) is not ("result" in found), found
                assert "error" not in found or is_clear(found["error"]), found
                return found

    def ask(self, method, params):
        self.asked += 1
        self.send(id=self.asked, method=method, params=params)
        return self.answer(self.asked)


def is_clear(error):
    """Whether it says what is wrong, and not how the program failed."""
    told = json.dumps(error)
    python = ("Traceback", "KeyError", "TypeError", "ValueError", "AttributeError", "embedded null", "kubelint_gpu/")
    return isinstance(error["code"], int) and error["message"] and not any(name in told for name in python)


@contextmanager
def server(folder):
    """A server that has one open document."""
    (folder / "a.yaml").write_text(deployment("first"))
    (folder / "i.yaml").write_text(INVENTORY)
    process = subprocess.Popen(
        [sys.executable, "-m", "kubelint_gpu", "lsp"],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": ROOT},
    )
    limit = Timer(120, process.kill)
    limit.start()
    wire = Wire(process)
    try:
        yield wire
        assert process.poll() is None
    finally:
        limit.cancel()
        process.kill()
        process.communicate()


def begin(wire, folder, **more):
    wire.ask("initialize", {"processId": None, "rootUri": folder.as_uri(), "capabilities": {}, **more})
    wire.send(method="initialized", params={})
    document = {"uri": (folder / "a.yaml").as_uri(), "languageId": "yaml", "version": 1, "text": deployment("first")}
    wire.send(method="textDocument/didOpen", params={"textDocument": document})


def params_of(folder, method):
    document, at = {"uri": (folder / "a.yaml").as_uri()}, {"line": 2, "character": 3}
    if method == "codeAction":
        return {"textDocument": document, "range": {"start": at, "end": at}, "context": {"diagnostics": []}}
    return {"textDocument": document, "position": at}


def is_well(wire, folder):
    found = wire.ask("textDocument/hover", params_of(folder, "hover"))
    return "result" in found


MESSAGES = {
    "an unknown method": {"method": "textDocument/none", "params": {}},
    "an unknown method without parameters": {"method": "no/such"},
    "one of the protocol that is not served": {"method": "textDocument/definition", "params": {}},
    "an optional one": {"method": "$/none", "params": []},
    "an unknown command": {"method": "workspace/executeCommand", "params": {"command": "x", "arguments": [1]}},
    "a method that is a number": {"method": 5, "params": {}},
    "a method that is a list": {"method": [], "params": {}},
    "no method": {"params": {}},
    "no parameters": {"method": "textDocument/hover"},
    "another protocol": {"jsonrpc": "1.0", "method": "textDocument/hover", "params": {}},
    "parameters with a message in them": {"method": "textDocument/hover", "params": {"jsonrpc": "2.0", "id": 7}},
}


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    with server(folder) as wire:
        begin(wire, folder)
        yield wire, folder


@pytest.mark.parametrize("name", MESSAGES)
def test_what_is_no_request_is_refused(name, served):
    wire, folder = served
    wire.send(id=f"odd {name}", **MESSAGES[name])
    assert "error" in wire.answer(f"odd {name}")
    assert is_well(wire, folder)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"null",
        b"[]",
        b"5",
        b'"x"',
        b"\xff",
        b"[" * 100_000,
        b"{}",
        b'{"jsonrpc": "2.0", "id": {}, "method": "x"}',
    ],
    ids=lambda body: repr(body[:20]),
)
def test_what_nobody_can_tell_the_id_of(body, served):
    wire, folder = served
    wire.write(body)
    assert wire.answer(None)["error"]["code"] in (-32700, -32600)
    assert is_well(wire, folder)


@pytest.mark.parametrize("method", REQUESTS)
def test_positions_that_are_none(method, served):
    wire, folder = served
    for line, character in (
        (-1, 0),
        (0, -1),
        (2**31, 0),
        (2**31 - 1, 2**31 - 1),
        (1.5, 0),
        ("x", 0),
        (None, 0),
        ([], 0),
    ):
        params = params_of(folder, method)
        at = {"line": line, "character": character}
        params.update({"range": {"start": at, "end": at}} if method == "codeAction" else {"position": at})
        found = wire.ask(f"textDocument/{method}", params)
        assert ("error" in found) is not (line == 2**31 - 1 or line == 1.5), (found, line)


@pytest.mark.parametrize("method", REQUESTS)
def test_documents_that_are_not_open(method, served):
    wire, folder = served
    for uri in (
        "file:///nowhere.yaml",
        "untitled:x",
        "",
        "x",
        "file:///%00",
        "file://[",
        "file:",
        "http://a/b",
        "\ud800",
    ):
        params = {**params_of(folder, method), "textDocument": {"uri": uri}}
        wire.ask(f"textDocument/{method}", params)
    assert is_well(wire, folder)


def test_actions_to_be_completed(served):
    wire, folder = served
    for data in ODD:
        action = {"title": "x", "kind": FIX_ALL, "data": data}
        assert wire.ask("codeAction/resolve", action)["error"]["code"] == -32602
    for data in (
        *ODD,
        {"uri": "file:///%00"},
        {"uri": "file://["},
        {"uri": "x"},
        {"uri": (folder / "a.yaml").as_uri()},
    ):
        for kind in (FIX_ALL, "quickfix", "", None, 5):
            wire.ask("codeAction/resolve", {"title": "x", "kind": kind, "data": data})
    assert is_well(wire, folder)


def changed(value, random_):
    """A value in which something is missing, is of another type, or is there besides."""
    if isinstance(value, (dict, list)) and value and random_.random() < 0.8:
        key = random_.choice(list(value) if isinstance(value, dict) else range(len(value)))
        made = dict(value) if isinstance(value, dict) else list(value)
        if random_.random() < 0.3:
            del made[key]
        else:
            made[key] = changed(made[key], random_)
        return made
    return random_.choice(ODD)


@pytest.mark.parametrize("number", range(4))
def test_anything_is_answered(number, served):
    wire, folder = served
    random_ = random.Random(number)
    uri = (folder / "a.yaml").as_uri()
    requests = [(f"textDocument/{method}", params_of(folder, method)) for method in REQUESTS]
    requests += [("codeAction/resolve", {"title": "x", "kind": FIX_ALL, "data": {"uri": uri}})]
    requests += [("workspace/executeCommand", {"command": "x", "arguments": []})]
    edit = {"range": {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}, "text": "a"}
    told = [
        (
            "textDocument/didOpen",
            {"textDocument": {"uri": "file:///x", "languageId": "yaml", "version": 1, "text": "a"}},
        ),
        ("textDocument/didChange", {"textDocument": {"uri": "file:///y", "version": 2}, "contentChanges": [edit]}),
        ("textDocument/didClose", {"textDocument": {"uri": "file:///z"}}),
        ("textDocument/didSave", {"textDocument": {"uri": uri}}),
        ("workspace/didChangeWatchedFiles", {"changes": [{"uri": uri, "type": 1}]}),
        ("workspace/didChangeWorkspaceFolders", {"event": {"added": [{"uri": uri, "name": "x"}], "removed": []}}),
        ("$/cancelRequest", {"id": 1}),
        ("$/setTrace", {"value": "off"}),
    ]
    for _ in range(60):
        method, params = random_.choice(told)
        wire.send(method=method, params=changed(params, random_))
        method, params = random_.choice(requests)
        wire.ask(method, changed(params, random_))
    assert is_well(wire, folder)


@pytest.mark.parametrize("root", ["file:///%00", "file://[", "x", ""])
def test_folders_that_are_none(root, tmp_path):
    with server(tmp_path) as wire:
        folders = [{"uri": uri, "name": "x"} for uri in (root, tmp_path.as_uri())]
        begin(wire, tmp_path, rootUri=root, workspaceFolders=folders)
        assert "error" in wire.ask("textDocument/hover", {})
        assert is_well(wire, tmp_path)


def test_before_the_beginning_and_after_the_end(tmp_path):
    with server(tmp_path) as wire:
        for method in REQUESTS:
            wire.ask(f"textDocument/{method}", params_of(tmp_path, method))
        assert "error" in wire.ask("initialize", {"capabilities": 5})
        begin(wire, tmp_path)
        assert is_well(wire, tmp_path)
        assert "result" in wire.ask("shutdown", None)
        assert wire.ask("textDocument/hover", params_of(tmp_path, "hover"))["error"]["code"] == -32600
