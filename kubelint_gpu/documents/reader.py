"""Reads bytes into documents, as kubectl does.

Like kubectl, the text is first cut at lines of `---` and each piece is parsed separately: an error in one piece does
not affect the others. YAML allows no such line in a value, so the result for whole streams is the same.
"""

from __future__ import annotations

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Collection, Iterator

from kubelint_gpu.documents.builder import (
    DOCUMENT,
    MAX_SIZE,
    SECOND_DOCUMENT,
    TOO_MUCH,
    TOO_MUCH_TOGETHER,
    Builder,
    Ledger,
    TooMuch,
    Unreadable,
)
from kubelint_gpu.documents.document import Document, Problem, Reading
from kubelint_gpu.documents.parser import next_event, parses, refuses_more, skim
from kubelint_gpu.documents.source_text import SourceText, Span, source_text
from kubelint_gpu.patterns import pattern

MAX_BYTES = 32 * 1024 * 1024
# The parser in Python takes some seconds for so much of a file; beyond it what the C extension refuses stays refused.
_MOST_PURE = 1024 * 1024
# What it costs to begin with a document, in characters.
_SETUP = 200

_BOMS = ((BOM_UTF8, "utf-8"), (BOM_UTF16_LE, "utf-16-le"), (BOM_UTF16_BE, "utf-16-be"))
_SEPARATOR = pattern(r"---(?=[ \t\r\n]|\Z)[ \t]*(?P<rest>[^\r\n]*)")
_BEGIN = pattern(r"\ufeff*(?:---[^\r\n]*)?\s*")
HELM = "a Helm template that is not rendered; check what Helm prints: helm template CHART | kubelint-gpu check -"
_HELM = pattern(r"""(?m)^[^#\n]*?(\{\{)[^{}\n]*?(?:\.(?:Values|Release|Chart|Capabilities)\b|\b(?:include|define) ")""")
_WORD = pattern(r"#[^\r\n]*|[^ \t\r\n#][^\r\n]*")


def read(
    path: str,
    data: bytes,
    *,
    max_bytes: int = MAX_BYTES,
    pure: bool = False,
    skimmed: Collection[str] = (),
    most: int = MAX_SIZE,
) -> Reading:
    """Return all documents of a file, and a problem for each unreadable part.

    Never raises because of the bytes. Merge keys, aliases, words and numbers have the same meaning as for kubectl. A
    tag unknown to kubectl is ignored, as in kubectl: the scalar becomes text. Of equal keys the last one counts, and a
    problem names both. `pure` uses the parser written in Python even if the C extension is installed. Long documents of
    the kinds `skimmed` are parsed without keeping the body of `spec`: it reads as null, and equal keys and comments in
    it are not reported. `most` is the limit of this file's size if other files have used up part of the total.
    """
    if len(data) > max_bytes:
        return too_large(path, max_bytes)
    source = decode(path, data)
    if isinstance(source, Problem):
        return Reading((), (source,), None)
    return _Reader(source, pure=pure, skimmed=skimmed, most=most).reading()


def read_text(source: SourceText, *, skimmed: Collection[str] = (), most: int = MAX_SIZE) -> Reading:
    """Return all documents of a text; see `read`."""
    return _Reader(source, pure=False, skimmed=skimmed, most=most).reading()


def too_large(path: str, max_bytes: int) -> Reading:
    """Return the reading of a file larger than `max_bytes`."""
    message = f"the file is larger than {max_bytes / 2**20:g} MB, the most that is read; split it"
    return Reading((), (Problem(path, None, message),), None)


def decode(path: str, data: bytes) -> SourceText | Problem:
    """Return the decoded text; UTF-16 needs its byte-order mark, as for kubectl."""
    bom, encoding = next((known for known in _BOMS if data.startswith(known[0])), (b"", "utf-8"))
    if encoding == "utf-8" and b"\0" in data:
        return Problem(path, None, "a binary file (it holds NUL bytes), neither YAML nor JSON")
    try:
        text = data[len(bom) :].decode(encoding)
    except UnicodeDecodeError as error:
        before = source_text(path, data[len(bom) : len(bom) + error.start].decode(encoding) + "\ufffd")
        span = before.span(len(before.text) - 1, len(before.text))
        byte = data[len(bom) + error.start]
        return Problem(
            path, span, f"not {encoding.upper()}: the byte 0x{byte:02x} is no character; save the file as UTF-8"
        )
    return source_text(path, text, encoding=encoding, has_bom=bool(bom))


class _Reader:
    """Reads one file; documents and problems are added, never removed."""

    def __init__(self, source: SourceText, *, pure: bool, skimmed: Collection[str], most: int) -> None:
        self._source = source
        self._pure = pure
        self._skimmed = skimmed
        self._most = min(most, MAX_SIZE)
        self._ledger = Ledger(left=self._most)
        self._pure_left = _MOST_PURE
        self._documents: list[Document] = []
        self._problems: list[Problem] = []
        self._unread: list[tuple[int, int]] = []

    def reading(self) -> Reading:
        """Return the reading of the whole text."""
        try:
            for start, end in _chunks(self._source.text):
                self._read_chunk(start, end)
        except TooMuch as error:
            message = error.message if self._most == MAX_SIZE else TOO_MUCH_TOGETHER
            problem = Problem(self._source.path, self._span(error.start, error.end), message)
            return Reading((), (problem,), self._source, (), ((0, len(self._source.text)),))
        for start, end, message, related in self._ledger.complaints:
            places = tuple((self._source.span(begin, stop), words) for begin, stop, words in related)
            self._problems.append(Problem(self._source.path, self._span(start, end), message, places))
        self._problems.sort(key=_order)
        return Reading(
            tuple(self._documents),
            tuple(self._problems),
            self._source,
            tuple(sorted(self._ledger.hashes)),
            tuple(self._unread),
            self._most - self._ledger.left,
        )

    def _read_chunk(self, start: int, end: int) -> None:
        text = self._source.text
        self._ledger.left -= DOCUMENT
        if self._ledger.left < 0:
            raise TooMuch(start, start + 1, TOO_MUCH)
        separator = _SEPARATOR().match(text, start, end)
        if separator and separator["rest"] and not separator["rest"].startswith("#"):
            place = separator.start("rest")
            message = "kubectl refuses text behind `---`; put it on the next line"
            self._complain(place, separator.end("rest"), message)
        begin = _BEGIN().match(text, start, end)
        first = begin.end() if begin else start
        if first >= end and not separator:
            return
        directive = _directive(text, start, end)
        if directive is not None:
            self._complain(*directive, "kubectl refuses directives before `---`; remove this line")
            self._unread.append((start, end))
            return
        if text[first : first + 1] in {"{", "["}:
            failed = self._read_json(start, first, end)
            if failed is None:
                return
            if self._source.path.endswith(".json"):
                self._complain(*failed)
                self._unread.append((start, end))
                return
        self._read_yaml(start, end)

    def _read_json(self, start: int, first: int, end: int) -> tuple[int, int, str] | None:
        """Read the text as JSON; return where and why it is not JSON, None on success."""
        from kubelint_gpu.documents.json_events import NotJson, json_events

        ledger = Ledger(self._ledger.expanded, self._ledger.left)
        builder = Builder(self._source.text, 0, ledger)
        try:
            builder.run(json_events(self._source.text, first, end))
        except TooMuch:
            raise
        except NotJson as error:
            return error.offset, error.offset + 1, f"not JSON: {error}"
        except Unreadable as error:
            self._complain(error.start, error.end, error.message)
            self._unread.append((start, end))
        self._ledger.expanded, self._ledger.left = ledger.expanded, ledger.left
        for place, stop, message, related in ledger.complaints:
            self._ledger.complain(place, stop, message, *related)
        self._ledger.hashes += ledger.hashes
        self._keep(builder, start, end, is_json=True)
        return None

    def _read_yaml(self, start: int, end: int, *, pure: bool = False) -> None:
        from ruamel.yaml.error import YAMLError

        text = self._source.text
        while text.startswith("\ufeff", start):
            start += 1
        ledger = self._ledger
        known = len(ledger.complaints), len(ledger.hashes), ledger.expanded, len(self._unread), ledger.left
        builder = Builder(text, start, ledger)
        try:
            # Kubectl ends each line, so that a block scalar at the end of a file has its line end.
            chunk = text[start:end]
            chunk = chunk if chunk.endswith(("\n", "\r")) else chunk + "\n"
            body = skim(chunk, self._skimmed)
            if body is not None and not (pure or self._pure) and parses(chunk):
                chunk = body.text
                self._unread.append((start + body.start, start + body.end))
            builder.run(next_event(chunk, pure=pure or self._pure))
        except YAMLError as error:
            if not (pure or self._pure) and end - start + _SETUP <= self._pure_left and refuses_more(error):
                self._pure_left -= end - start + _SETUP
                del ledger.complaints[known[0] :], ledger.hashes[known[1] :], self._unread[known[3] :]
                ledger.expanded, ledger.left = known[2], known[4]
                self._read_yaml(start, end, pure=True)
                return
            from kubelint_gpu.documents.syntax_error import syntax_error

            place, stop, message = syntax_error(error, text, start, end)
            self._complain_of_yaml(place, stop, message, (start, end))
            # What seems complete may only be the part of a document before the place that breaks it.
            if message != SECOND_DOCUMENT:
                del builder.documents[-1:]
            self._unread.append((start, end))
        except TooMuch:
            raise
        except Unreadable as error:
            self._complain_of_yaml(error.start, error.end, error.message, (start, end))
            self._unread.append((start, end))
        self._keep(builder, start, end, is_json=False)

    def _keep(self, builder: Builder, start: int, end: int, *, is_json: bool) -> None:
        for number, built in enumerate(builder.documents):
            begin, stop = built.root[0], built.root[1]
            if number and not is_json:
                self._complain(begin, min(stop, begin + 1), SECOND_DOCUMENT)
            document = Document(
                self._source, len(self._documents), built.value, built.root, (start, end), is_json, tuple(built.shared)
            )
            self._documents.append(document)

    def _complain_of_yaml(self, start: int, end: int, message: str, chunk: tuple[int, int]) -> None:
        """Add a problem of a document; if the text is a Helm template, that it is one."""
        helm = _HELM().search(self._source.text, *chunk)
        self._complain(*(helm.span(1) if helm is not None else (start, end)), message if helm is None else HELM)

    def _complain(self, start: int, end: int, message: str) -> None:
        self._ledger.complain(start, end, message)

    def _span(self, start: int, end: int) -> Span:
        return self._source.span(start, max(end, start + 1))


def _chunks(text: str) -> Iterator[tuple[int, int]]:
    """Yield the offsets of pieces that begin with the text or with a line `---`."""
    start = 0
    at = text.find("---")
    while at >= 0:
        if at > start and text[at - 1] in "\r\n" and _SEPARATOR().match(text, at):
            yield start, at
            start = at
        at = text.find("---", at + 3)
    yield start, len(text)


def _directive(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Return the offsets of a YAML directive on the first line that is no comment; None if there is none."""
    first = next((word for word in _WORD().finditer(text, start, end) if not word[0].startswith("#")), None)
    if first is None or text[first.start()] != "%" or not "A" <= text[first.start() + 1 : first.start() + 2] <= "Z":
        return None
    place = first.start()
    return first.span() if place == start or text[place - 1] in "\r\n" else None


def _order(problem: Problem) -> tuple[int, int, str]:
    return (problem.span.start, problem.span.end, problem.message) if problem.span else (0, 0, problem.message)
