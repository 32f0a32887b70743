"""JSON-RPC with an editor: every request gets a result, or an error that says why not."""

from __future__ import annotations

from typing import Any

from cattrs import transform_error
from lsprotocol.types import ResponseError
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcParseError,
)
from pygls.protocol import LanguageServerProtocol


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
