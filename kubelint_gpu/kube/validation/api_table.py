"""The table of the fields of Kubernetes' own objects, by release.

It is made from the published schemas by `python -m tools.api_fields`; a type is read when an object first has it.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path

from kubelint_gpu.values import Value

_TABLE = "api_fields.txt"


class ReleaseSpan(Value):
    """A type code and the minor releases, both included, that have it."""

    code: str
    first: int
    last: int


Entry = tuple[ReleaseSpan, ...]


class Table:
    """The table, read as far as it is asked for."""

    def __init__(self, text: str) -> None:
        self._types: dict[str, str] = {}
        self._kinds: dict[tuple[str, str], str] = {}
        self._versions: dict[tuple[str, str], dict[str, Entry]] = {}
        self._entries: dict[str, Entry] = {}
        self._fields: dict[str, dict[str, Entry]] = {}
        self._codes: dict[tuple[str, int | None], dict[str, str]] = {}
        self.first = self.last = 0
        for line in text.split("\n"):
            what, _, rest = line.partition(" ")
            name, _, rest = rest.partition(" ")
            if what == "type":
                self._types[name] = rest
            elif what == "kind":
                kind, _, spans = rest.partition(" ")
                self._kinds[name, kind] = spans
            elif what == "releases":
                self.first, self.last = int(name), int(rest)

    def kind(self, version: str, kind: str) -> Entry:
        """The types of an apiVersion and kind; empty where no release has them."""
        spans = self._kinds.get((version, kind))
        return self._entry(spans) if spans is not None else ()

    def versions(self, group: str, kind: str) -> Mapping[str, Entry]:
        """The apiVersions of a group, with their releases, that have a kind."""
        if (group, kind) not in self._versions:
            self._versions[group, kind] = {
                version: self._entry(spans)
                for (version, other), spans in self._kinds.items()
                if other == kind and version.rpartition("/")[0] == group
            }
        return self._versions[group, kind]

    def fields(self, name: str) -> Mapping[str, Entry]:
        """The fields of a type; empty where nothing is known of it."""
        if name not in self._fields:
            parts = (part.partition("=") for part in self._types.get(name, "").split(" ") if part)
            self._fields[name] = {key: self._entry(spans) for key, _, spans in parts}
        return self._fields[name]

    def codes(self, name: str, minor: int | None) -> dict[str, str]:
        """The type codes of a type's fields in a release, of those that it has there."""
        found = self._codes.get((name, minor))
        if found is None:
            codes = ((key, known(entry, minor)) for key, entry in self.fields(name).items())
            found = self._codes[name, minor] = {key: code for key, code in codes if code}
        return found

    def _entry(self, text: str) -> Entry:
        found = self._entries.get(text)
        if found is None:
            found = self._entries[text] = tuple([self._span(part) for part in text.split("|")])
        return found

    def _span(self, text: str) -> ReleaseSpan:
        code, _, releases = text.partition(":")
        low, _, high = releases.partition("-")
        return ReleaseSpan(code, int(low or self.first), int(high or self.last))


@lru_cache(maxsize=1)
def table() -> Table:
    """The table of this version of the program."""
    return Table((Path(__file__).parent / _TABLE).read_text(encoding="utf-8"))


def known(entry: Entry, minor: int | None) -> str:
    """The type code in a release, the newest without one; empty where the release does not have it."""
    if minor is None:
        return entry[-1].code if entry else ""
    return next((span.code for span in entry if span.first <= minor <= span.last), "")
