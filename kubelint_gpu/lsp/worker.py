"""The checking process: reads a question as a line of JSON, and writes its answer as a line of JSON."""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any, BinaryIO

from kubelint_gpu.lsp.document.document_context import ReadFiles

Answerer = Callable[[dict[str, Any], ReadFiles], Any]


def main() -> None:
    """Answer until the other process is gone."""
    answers = os.fdopen(os.dup(1), "wb")
    # text that is printed by mistake goes to the log and must not come between the answers
    os.dup2(2, 1)
    questions: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, questions), daemon=True).start()
    answerers = _answerers()
    memory = ReadFiles()
    while True:
        question = json.loads(questions.get())
        memory.texts.update(question["open"])
        result = _result(answerers[question["do"]], question, memory)
        answers.write(json.dumps({"id": question["id"], "result": result}).encode() + b"\n")
        answers.flush()


def _listen(stream: BinaryIO, questions: queue.Queue[bytes]) -> None:
    """Pass the questions on. If the other process is gone, end this process at once."""
    while line := stream.readline():
        questions.put(line)
    # `sys.exit` would end only this thread
    signal.raise_signal(signal.SIGTERM)


def _result(answerer: Answerer, question: dict[str, Any], memory: ReadFiles) -> Any:
    try:
        return answerer(question, memory)
    except Exception as error:  # noqa: BLE001 - a failed question must not stop the next ones
        traceback.print_exc(file=sys.stderr)
        return {"failed": f"{type(error).__name__}: {error}"}


def _answerers() -> dict[str, Answerer]:
    from kubelint_gpu.lsp.answers import action_edits, completion, hover
    from kubelint_gpu.lsp.document import diagnostics, saved_files

    return {
        "check": diagnostics.answer,
        "saved": saved_files.answer,
        "hover": hover.answer,
        "completion": completion.answer,
        "fix-all": action_edits.all_fixed,
        "ignore": action_edits.ignored_here,
    }
