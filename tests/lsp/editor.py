"""An editor that speaks the protocol to the installed command."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from contextlib import asynccontextmanager
from pathlib import Path

import warm
from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities

ROOT = Path(__file__).resolve().parent.parent.parent
TRACKER = ROOT / "examples" / "tracker"
COMMAND = Path(sys.executable).parent / "kubelint-gpu"
QUIET = 60.0


def checked(folder):
    """What the command line says."""
    ran = warm.run(["check", ".", "--output-format", "json"], cwd=folder, environment=dict(os.environ))
    return json.loads(ran.stdout)["findings"]


def codes(diagnostics):
    return [one.code for one in diagnostics]


class Editor:
    """Documents are files of a folder, by their names; of other files than those below `only` nothing is taken."""

    def __init__(self, client, folder, only=""):
        self.client = client
        self.folder = folder
        self.only = only
        self.open_now = set()
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
        if params.uri.startswith("file:") and not params.uri.startswith(self.only):
            return
        self.published.append(params)
        self._news.set()

    def open(self, name, text=None, language="yaml"):
        text = (self.folder / name).read_bytes().decode() if text is None else text
        self.texts[name], self.versions[name] = text, 1
        self.open_now.add(name)
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
        self.open_now.discard(name)
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


class Server:
    """A process of the command, and the editor that it speaks to at the moment."""

    def __init__(self):
        self.client = LanguageClient(configuration=None)
        self.editor = Editor(self.client, None)

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def published(params: types.PublishDiagnosticsParams):
            self.editor.took(params)

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def logged(params: types.LogMessageParams):
            self.editor.logged.append(params.message)

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def told(params: types.ShowMessageParams):
            self.editor.shown.append(params.message)

        @self.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def registered(params: types.RegistrationParams):
            self.editor.registered += params.registrations

    async def begin(self, folder, *arguments, encodings=None, capabilities=None):
        found = capabilities or client_capabilities("visual-studio-code")
        if encodings is not None:
            found.general.position_encodings = encodings
        await self.client.start_io(str(COMMAND), "lsp", *arguments)
        folders = [types.WorkspaceFolder(folder.as_uri(), folder.name)] if folder else []
        self.editor = Editor(self.client, folder)
        self.editor.initialized = await self.client.initialize_session(
            types.InitializeParams(
                capabilities=found, workspace_folders=folders, root_uri=folder.as_uri() if folder else None
            )
        )

    async def end(self):
        await self.client.shutdown_session()
        await self.client.stop()

    @asynccontextmanager
    async def editing(self, folder):
        """An editor that opens a folder, and closes its documents and the folder at the end."""
        here = types.WorkspaceFolder(folder.as_uri(), folder.name)
        self.editor = editor = Editor(self.client, folder, only=f"{folder.as_uri()}/")
        self._folders([here], [])
        try:
            yield editor
        finally:
            for name in sorted(editor.open_now):
                editor.close(name)
            self._folders([], [here])

    def _folders(self, added, removed):
        event = types.WorkspaceFoldersChangeEvent(added, removed)
        self.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


@asynccontextmanager
async def editing(folder, *arguments, encodings=None, capabilities=None):
    """A session of its own in a folder; it ends as the protocol wants it to, and the process with it."""
    server = Server()
    await server.begin(folder, *arguments, encodings=encodings, capabilities=capabilities)
    try:
        yield server.editor
    finally:
        if not server.editor.ended:
            await server.end()
