"""Files that an earlier run has read: they are parsed again only where something of theirs is judged anew."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from typing import TYPE_CHECKING

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import NotPlain, from_text, to_text
from kubelint_gpu.documents import MAX_BYTES, Reading, SourceText, read
from kubelint_gpu.documents.ledger import MOST_TOGETHER
from kubelint_gpu.documents.reader import decode, read_text
from kubelint_gpu.findings.catalogue import rules_folder

if TYPE_CHECKING:
    from kubelint_gpu.cache.store import Store


def program() -> str:
    """A digest of this program, the rules among it."""
    from kubelint_gpu.cache import program_identity

    return program_identity.program_identity((str(rules_folder()),))


class KnownFiles:
    """What is known of files by their bytes; nothing without a store.

    `skimmed` are the kinds whose bodies are parsed and not kept.
    What the files hold together is bounded by `most`; one that does not fit has a problem that says so.
    """

    def __init__(self, store: Store | None, skimmed: Collection[str] = (), most: int = MOST_TOGETHER) -> None:
        self._store = store
        self._program = program() if store is not None else ""
        self._skimmed = skimmed
        self._left = most
        self._parsed: dict[Hashable, Reading] = {}

    def read(self, path: str, data: bytes) -> Reading:
        """The documents of a file, read now or when they are asked for."""
        found = self._known(path, data)
        self._left -= found.size
        return found

    def _known(self, path: str, data: bytes) -> Reading:
        from kubelint_gpu.workspace.shared_objects import Deferred, Outline, outline

        source = decode(path, data) if len(data) <= MAX_BYTES else None
        if not isinstance(source, SourceText):
            return read(path, data)
        if self._store is None:
            return self._parse(source)
        key = digest_of(("file", self._program, *sorted(self._skimmed), source.digest))
        known = self._store.get(key)
        if known is not None:
            try:
                count, size, about = from_text(known, {})
                if int(size) <= self._left:
                    return Deferred(source, int(count), int(size), tuple(Outline(*about)), self._text)
            except (NotPlain, TypeError, ValueError):
                pass
        reading = self._parse(source)
        if not reading.problems:
            self._store.put(key, to_text((reading.count, reading.size, tuple(outline(reading)))))
        return reading

    def _parse(self, source: SourceText) -> Reading:
        """The documents of a text: of equal ones they are the same."""
        key = source.text, source.encoding, source.has_bom, source.path.endswith(".json")
        equal = self._parsed.get(key)
        if equal is not None and equal.size <= self._left:
            return equal.at(source)
        found = read_text(source, skimmed=self._skimmed, most=self._left)
        if not found.problems:
            self._parsed[key] = found
        return found

    def _text(self, source: SourceText) -> Reading:
        return read_text(source, skimmed=self._skimmed)
