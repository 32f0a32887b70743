"""An editor that speaks the protocol to the installed command."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from contextlib import asynccontextmanager
from pathlib import Path

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities

ROOT = Path(__file__).resolve().parent.parent.parent
TRACKER = ROOT / "examples" / "tracker"
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
QUIET = 60.0


def checked(folder):
    """What the command line says."""
    command = [COMMAND, "check", ".", "--output-format", "json"]
    return json.loads(subprocess.run(command, cwd=folder, capture_output=True, check=False).stdout)["findings"]


def codes(diagnostics):
    return [one.code for one in diagnostics]


class Editor:
    """One session; documents are files of a folder, by their names."""

    def __init__(self, client, folder):
        self.client = client
        self.folder = folder
        self.texts = {}
        self.versions = {}
        self.published = []
        self.logged = []
        self.shown = []
        self.registered = []
        self.ended = False
        self._news = asyncio.Event()

    def uri(self, name):
        return (self.folder / name).as_uri() if ":" not in name else name

    def took(self, params):
        self.published.append(params)
        self._news.set()

    def open(self, name, text=None, language="yaml"):
        text = (self.folder / name).read_bytes().decode() if text is None else text
        self.texts[name], self.versions[name] = text, 1
        document = types.TextDocumentItem(self.uri(name), language, 1, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def change(self, name, text, at=None):
        """The whole text anew, or `text` in place of a range ((line, character), (line, character))."""
        self.versions[name] += 1
        if at is None:
            change = types.TextDocumentContentChangeWholeDocument(text)
        else:
            start, end = (types.Position(*one) for one in at)
            change = types.TextDocumentContentChangePartial(types.Range(start, end), text)
        identifier = types.VersionedTextDocumentIdentifier(self.versions[name], self.uri(name))
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(identifier, [change]))

    def save(self, name):
        identifier = types.TextDocumentIdentifier(self.uri(name))
        self.client.text_document_did_save(types.DidSaveTextDocumentParams(identifier))

    def close(self, name):
        self.client.text_document_did_close(
            types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(self.uri(name)))
        )

    async def until(self, found, timeout=QUIET):
        """The first thing published, from the last call on, that is what is waited for."""
        for _ in range(1000):
            self._news.clear()
            for index, one in enumerate(self.published):
                if found(one):
                    del self.published[: index + 1]
                    return one
            await asyncio.wait_for(self._news.wait(), timeout)
        raise AssertionError("too much is published")

    async def diagnostics(self, name, version=None):
        """What is published for a document in its present version."""
        wanted = version or self.versions.get(name)

        def mine(one):
            return one.uri == self.uri(name) and (wanted is None or one.version == wanted)

        return list((await self.until(mine)).diagnostics)

    async def hover(self, name, line, character):
        return await self.client.text_document_hover_async(
            types.HoverParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(line, character))
        )

    async def complete(self, name, line, character):
        found = await self.client.text_document_completion_async(
            types.CompletionParams(types.TextDocumentIdentifier(self.uri(name)), types.Position(line, character))
        )
        return found.items

    async def actions(self, name, line, character=0, only=None, diagnostics=()):
        at = types.Range(types.Position(line, character), types.Position(line, character))
        return await self.client.text_document_code_action_async(
            types.CodeActionParams(
                types.TextDocumentIdentifier(self.uri(name)), at, types.CodeActionContext(list(diagnostics), only)
            )
        )


@asynccontextmanager
async def editing(folder, *arguments, encodings=None, capabilities=None):
    """A session in a folder; it ends as the protocol wants it to, and the process with it."""
    client = LanguageClient(configuration=None)
    editor = Editor(client, folder)
    found = capabilities or client_capabilities("visual-studio-code")
    if encodings is not None:
        found.general.position_encodings = encodings

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def published(params: types.PublishDiagnosticsParams):
        editor.took(params)

    @client.feature(types.WINDOW_LOG_MESSAGE)
    def logged(params: types.LogMessageParams):
        editor.logged.append(params.message)

    @client.feature(types.WINDOW_SHOW_MESSAGE)
    def told(params: types.ShowMessageParams):
        editor.shown.append(params.message)

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def registered(params: types.RegistrationParams):
        editor.registered += params.registrations

    await client.start_io(str(COMMAND), "lsp", *arguments)
    folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)]
    editor.initialized = await client.initialize_session(
        types.InitializeParams(capabilities=found, workspace_folders=folders, root_uri=folder.as_uri())
    )
    try:
        yield editor
    finally:
        if not editor.ended:
            await client.shutdown_session()
            await client.stop()
