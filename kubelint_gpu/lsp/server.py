"""The protocol: passes messages of the editor to the session, and results of the session to the editor."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from cattrs import transform_error
from lsprotocol import converters, types
from lsprotocol.types import ResponseError
from pygls.exceptions import (
    FeatureRequestError,
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
)
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from pygls.uris import from_fs_path, to_fs_path

from kubelint_gpu.lsp.answers import actions
from kubelint_gpu.lsp.document.diagnostics import SOURCE
from kubelint_gpu.lsp.document.open_documents import TextChange
from kubelint_gpu.lsp.session import Diagnostics, Session, SessionSettings
from kubelint_gpu.version import __version__


class AnsweringProtocol(LanguageServerProtocol):
    """Refuses invalid messages. pygls alone does not answer messages that it cannot read."""

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return an object unchanged: it might be a part of a message, and only the whole has a type."""
        return data

    def handle_message(self, message: Any) -> None:
        """Pass a message to its handler."""
        try:
            super().handle_message(self._typed(message))
        except JsonRpcException as error:
            self._refuse(message, error)

    def refuse_text(self) -> None:
        """Answer a text that is no JSON, without the id of a request."""
        self._refuse(None, JsonRpcParseError())

    def _send_response(self, msg_id: Any, result: Any = None, error: ResponseError | None = None) -> None:
        """Send an answer. Details of a failure of the program go only to the log."""
        if error is not None and error.code == JsonRpcInternalError.CODE:
            error = ResponseError(error.code, f"{JsonRpcInternalError.MESSAGE}: the log says more; please report it")
        super()._send_response(msg_id, result, error)

    def _typed(self, message: Any) -> Any:
        """Return a message as a value of its type.

        Raises:
            JsonRpcException: the message is invalid, or comes too late.
        """
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            raise JsonRpcInvalidRequest(f"Invalid Request: no message of JSON-RPC {self.VERSION}")
        method = message.get("method")
        if "method" in message and not isinstance(method, str):
            raise JsonRpcInvalidRequest("Invalid Request: the method is no text")
        if "id" in message and _id_of(message) is None:
            raise JsonRpcInvalidRequest("Invalid Request: the id is neither a text nor a whole number")
        if method is None and not _is_answer(message):
            raise JsonRpcInvalidRequest("Invalid Request: it has no method")
        if method is not None and "id" in message and self._shutdown:
            raise JsonRpcInvalidRequest("Invalid Request: the server is shut down")
        known = method is None or self.get_message_type(method) is not None
        try:
            return super().structure_message(message if known else {"params": None, **message})
        except JsonRpcException as error:
            cause = error.__cause__
            problem = "; ".join(transform_error(cause)) if cause is not None else str(error)
            raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {problem}") from error

    def _refuse(self, message: Any, error: JsonRpcException) -> None:
        """Answer an invalid request; log any other invalid message."""
        is_notification = isinstance(message, dict) and isinstance(message.get("method"), str) and "id" not in message
        if is_notification or _is_answer(message):
            self._server.report_server_error(error, JsonRpcInvalidParams)
        else:
            self._send_response(_id_of(message), error=error.to_response_error())


def _is_answer(message: Any) -> bool:
    return isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)


def _id_of(message: Any) -> int | str | None:
    """Return the id of a message; None if it has no id for an answer."""
    identifier = message.get("id") if isinstance(message, dict) else None
    return identifier if isinstance(identifier, (int, str)) and not isinstance(identifier, bool) else None


_CONVERTER = converters.get_converter()
_TRIGGERS = (" ", ":", "/", ".", "-", "[", ",", '"')


class Server(LanguageServer):
    """The server of one editor."""

    protocol: AnsweringProtocol

    def __init__(self, settings: SessionSettings) -> None:
        super().__init__(SOURCE, __version__, protocol_cls=AnsweringProtocol)
        self.session = Session(settings, self._publish, self.log)

    def log(self, message: str) -> None:
        """Write a line to the editor's log."""
        logging.getLogger(SOURCE).warning("%s", message)
        self.window_log_message(types.LogMessageParams(types.MessageType.Warning, message))

    def report_server_error(self, error: Exception, source: type[Exception]) -> None:
        """Log an error, unless it answers a request. Refuse a text that is no JSON."""
        if source is FeatureRequestError:
            return
        self.log(f"{type(error).__name__}: {error}")
        if source is JsonRpcException:
            self.protocol.refuse_text()

    def uri(self, path: str) -> str:
        """Return the URI of a path; for an open file, as the editor writes it."""
        document = self.session.documents.at(path)
        return document.uri if document is not None else from_fs_path(path) or path

    def client(self, capability: str) -> Any:
        """Return a capability of the editor by its path, such as `workspace.workspace_edit.document_changes`."""
        value: Any = self.client_capabilities
        for name in capability.split("."):
            value = getattr(value, name, None)
        return value

    def edit(self, edits: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
        """Return changes of files as a workspace edit; for open files, with the version that they apply to."""
        if not self.client("workspace.workspace_edit.document_changes"):
            return {"changes": {self.uri(path): some for path, some in edits.items()}}
        changes = []
        for path, some in edits.items():
            document = self.session.documents.at(path)
            version = document.version if document is not None else None
            changes.append({"textDocument": {"uri": self.uri(path), "version": version}, "edits": some})
        return {"documentChanges": changes}

    def written(self, diagnostic: dict[str, Any]) -> dict[str, Any]:
        """Return a diagnostic in the form for the editor."""
        written = dict(diagnostic)
        if "data" in written:
            written["data"] = {"fingerprint": diagnostic["data"]["fingerprint"]}
        if "relatedInformation" in written:
            written["relatedInformation"] = [
                {**each, "location": {**each["location"], "uri": self.uri(each["location"]["uri"])}}
                for each in diagnostic["relatedInformation"]
            ]
        return written

    def action(self, offer: dict[str, Any]) -> types.CodeAction:
        """Return a code action in the form for the editor."""
        diagnostics = [self.written(each) for each in offer.get("diagnostics", ())]
        return _CONVERTER.structure(
            {**offer, **({"diagnostics": diagnostics} if diagnostics else {})}, types.CodeAction
        )

    def _publish(self, path: str, version: int | None, diagnostics: Diagnostics) -> None:
        written = _CONVERTER.structure([self.written(each) for each in diagnostics], list[types.Diagnostic])
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(self.uri(path), written, version))


def serve(settings: SessionSettings) -> None:
    """Serve on standard input and output until the editor is gone."""
    logging.basicConfig(level=logging.WARNING, format="%(name)s: %(message)s")
    answers = os.fdopen(os.dup(1), "wb")
    # text that is printed by mistake goes to the log and must not come between the messages
    os.dup2(2, 1)
    make(settings).start_io(stdout=answers)


def make(settings: SessionSettings) -> Server:
    """Return a server with all features."""
    server = Server(settings)
    _life(server, settings)
    _documents(server)
    _code_actions(server)
    _answers(server)
    return server


def unreadable(settings: SessionSettings) -> Iterator[str]:
    """Yield the unreadable files of the command line. The server works without them, and uses them once they exist."""
    for path in settings.inventories:
        if not os.access(path, os.R_OK):
            yield f"the inventory {path} cannot be read: until it can, no rule that needs the cluster is asked"
    if settings.config and not os.access(settings.config, os.R_OK):
        yield f"the configuration {settings.config} cannot be read: until it can, nothing is checked"


def _life(server: Server, settings: SessionSettings) -> None:
    session = server.session

    @server.feature(types.INITIALIZED)
    def initialized(_params: types.InitializedParams) -> None:
        session.documents.encoding = server.workspace.position_encoding or "utf-16"
        _folders()
        session.begin()
        for problem in unreadable(settings):
            server.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"{SOURCE}: {problem}"))
        if server.client("workspace.did_change_watched_files.dynamic_registration"):
            watchers = [types.FileSystemWatcher(f"**/*.{suffix}") for suffix in ("yaml", "yml", "json")]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            found = types.Registration("kubelint-gpu-files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
            server.client_register_capability(types.RegistrationParams([found]))

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(_params: types.DidChangeWatchedFilesParams) -> None:
        session.disturbed()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def folders(_params: types.DidChangeWorkspaceFoldersParams) -> None:
        _folders()
        session.disturbed()

    @server.feature(types.SHUTDOWN)
    async def shutdown(_params: None) -> None:
        await session.end()

    def _folders() -> None:
        uris = [*server.workspace.folders, *([server.workspace.root_uri] if server.workspace.root_uri else [])]
        found = []
        for uri in uris:
            with suppress(JsonRpcInvalidParams):
                found += [path_of(uri)] if uri.startswith("file:") else []
        session.folders = tuple(found)


def _documents(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        found = params.text_document
        session.opened(found.uri, path_of(found.uri), found.version, found.text)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        changes = [_change(one) for one in params.content_changes]
        session.changed(params.text_document.uri, params.text_document.version, changes)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(_params: types.DidSaveTextDocumentParams) -> None:
        session.disturbed()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        session.closed(params.text_document.uri)


def _code_actions(server: Server) -> None:
    session = server.session
    options = types.CodeActionOptions([actions.QUICK_FIX, actions.FIX_ALL], resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def code_actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, only = params.text_document.uri, params.context.only
        try:
            found = await session.current(uri)
        except asyncio.TimeoutError:
            return []
        offered: list[dict[str, Any]] = []
        if actions.wants(only, actions.QUICK_FIX):
            named = [
                (str(one.code), one.range.start.line, one.range.start.character) for one in params.context.diagnostics
            ]
            mine = actions.concerned(found, _CONVERTER.unstructure(params.range), named)
            marks = [(one["range"]["start"]["line"], one["code"]) for one in mine]
            edits = await session.ask(uri, "ignore", marks=marks) if marks else []
            offered += actions.fixes(mine, server.edit)
            offered += actions.suppressions(mine, edits or [None] * len(mine), path_of(uri), server.edit)
        if actions.wants(only, actions.FIX_ALL) and actions.has_safe(found):
            offered.append({**actions.all_safe(), "data": {"uri": uri}})
            if "edit" not in (server.client("text_document.code_action.resolve_support.properties") or ()):
                offered[-1]["edit"] = await _all_edits(uri)
        return [server.action(one) for one in offered]

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        if action.kind == actions.FIX_ALL:
            uri = action.data.get("uri") if isinstance(action.data, dict) else None
            if not isinstance(uri, str):
                raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: data.uri names no document")
            action.edit = _CONVERTER.structure(await _all_edits(uri), types.WorkspaceEdit)
        return action

    async def _all_edits(uri: str) -> dict[str, Any]:
        return server.edit(await session.ask(uri, "fix-all") or {})


def _answers(server: Server) -> None:
    session = server.session

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        uri, at = params.text_document.uri, params.position
        _, found = session.found.get(uri, (0, []))
        here = {"line": at.line, "character": at.character}
        mine = actions.concerned(found, {"start": here, "end": here}, ())
        told = [[one["code"], one["message"], one["data"]["told"]] for one in mine]
        answer = await session.ask(uri, "hover", line=at.line, character=at.character, told=told)
        return _CONVERTER.structure(answer, types.Hover) if answer else None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(_TRIGGERS))
    async def completion(params: types.CompletionParams) -> types.CompletionList:
        at = params.position
        answer = await session.ask(params.text_document.uri, "completion", line=at.line, character=at.character)
        items = _CONVERTER.structure(answer or [], list[types.CompletionItem])
        return types.CompletionList(is_incomplete=False, items=items)


def path_of(uri: str) -> str:
    """Return the real path of a URI; for a URI that is no file, a path that only names it.

    Raises:
        JsonRpcInvalidParams: no system can have a file with this path.
    """
    try:
        path = to_fs_path(uri) if uri.startswith("file:") else None
        return os.path.realpath(path or uri.rpartition("/")[2].rpartition(":")[2] or "untitled")
    except ValueError:
        raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {uri} names no file") from None


def _change(event: types.TextDocumentContentChangeEvent) -> TextChange:
    if isinstance(event, types.TextDocumentContentChangePartial):
        start, end = event.range.start, event.range.end
        return TextChange(event.text, (start.line, start.character, end.line, end.character))
    return TextChange(event.text)
