"""JSON-RPC as an editor speaks it; every request is answered, by a result or by an error that says why not."""

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
    """Refuses a message that is none of the protocol; pygls alone does not answer what it cannot read."""

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """An object as it is written: it may be a part of a message, and only the whole has a type."""
        return data

    def handle_message(self, message: Any) -> None:
        """Hand a message to who answers it."""
        try:
            super().handle_message(self._typed(message))
        except JsonRpcException as error:
            self._refuse(message, error)

    def refuse_text(self) -> None:
        """Answer a text that is no JSON: nobody knows which request it was."""
        self._refuse(None, JsonRpcParseError())

    def _send_response(self, msg_id: Any, result: Any = None, error: ResponseError | None = None) -> None:
        """Send an answer; how the program failed stands in the log alone."""
        if error is not None and error.code == JsonRpcInternalError.CODE:
            error = ResponseError(error.code, f"{JsonRpcInternalError.MESSAGE}: the log says more; please report it")
        super()._send_response(msg_id, result, error)

    def _typed(self, message: Any) -> Any:
        """A message as a value of its type.

        Raises:
            JsonRpcException: it is none, or comes too late.
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
            told = "; ".join(transform_error(cause)) if cause is not None else str(error)
            raise JsonRpcInvalidParams(f"{JsonRpcInvalidParams.MESSAGE}: {told}") from error

    def _refuse(self, message: Any, error: JsonRpcException) -> None:
        """Answer what was meant as a request; of the rest the log tells."""
        is_notification = isinstance(message, dict) and isinstance(message.get("method"), str) and "id" not in message
        if is_notification or _is_answer(message):
            self._server.report_server_error(error, JsonRpcInvalidParams)
        else:
            self._send_response(_id_of(message), error=error.to_response_error())


def _is_answer(message: Any) -> bool:
    return isinstance(message, dict) and "method" not in message and ("result" in message or "error" in message)


def _id_of(message: Any) -> int | str | None:
    """The id of a message; None where it has none that could be answered."""
    found = message.get("id") if isinstance(message, dict) else None
    return found if isinstance(found, (int, str)) and not isinstance(found, bool) else None
