"""Other names for what a cluster's people have named, with which every verdict is the same.

Names are built from words: a ReplicaSet's from that of its Deployment and a hash, a claim's from a template and a pod.
So it is words that get pseudonyms, each always the same one, no two the same one, and what holds them together stays.
Words of Kubernetes and numbers stay too, and label values that say what hardware or system a node has.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from kubelint_gpu.inventory.capture.kept import Role, Shape
from kubelint_gpu.inventory.capture.pruning import shape_of
from kubelint_gpu.inventory.capture.vocabulary import WORDS, is_known_key, is_known_value

# an address is one word: its four numbers would tell it
_WORD = re.compile(r"(?<![A-Za-z0-9])\d{1,3}([-.])\d{1,3}\1\d{1,3}\1\d{1,3}(?![A-Za-z0-9])|[A-Za-z0-9]+")
_NUMBER = re.compile(r"[0-9]+|true|false|[0-9]+[KMGT]i?B?", re.IGNORECASE)
_LONGEST_VALUE = 63
_STORAGE_CLASS = ".storageclass.storage.k8s.io/"


class Pseudonyms:
    """The pseudonyms of all words of some objects, in the order of the words."""

    def __init__(self, objects: Iterable[dict[str, Any]]) -> None:
        self._seen: set[str] | None = set()
        self._names: dict[str, str] = {}
        for value in objects:
            self.renamed(value)
        words = sorted(self._seen or ())
        width = len(str(len(words)))
        self._names = {word: f"w{number:0{width}}" for number, word in enumerate(words, 1)}
        self._seen = None

    def renamed(self, value: dict[str, Any]) -> dict[str, Any]:
        """An object with pseudonyms in place of names; of a kind that no inventory has, as it is."""
        shape = shape_of(value)
        return value if shape is None else self._renamed(value, {**shape, "apiVersion": Role.PLAIN, "kind": Role.PLAIN})

    def text(self, text: str) -> str:
        """A name, or text that is built from names."""
        return _WORD.sub(lambda match: self._word(match[0]), text)

    def _word(self, word: str) -> str:
        if word in WORDS or _NUMBER.fullmatch(word):
            return word
        if self._seen is not None:
            self._seen.add(word)
        # a word that was in none of the objects is nobody's secret, and is like none of the pseudonyms
        return self._names.get(word, word)

    def _key(self, key: str) -> str:
        if _STORAGE_CLASS in key:
            name, _, rest = key.partition(_STORAGE_CLASS)
            return f"{self.text(name)}{_STORAGE_CLASS}{rest}"
        return key if is_known_key(key) else self.text(key)

    def _value(self, key: str, value: Any) -> Any:
        if not isinstance(value, str) or is_known_value(key) or _NUMBER.fullmatch(value):
            return value
        name = self.text(value)
        if len(name) <= _LONGEST_VALUE or len(value) > _LONGEST_VALUE:
            return name
        return self._word(value)

    def _renamed(self, value: Any, shape: Shape) -> Any:
        if isinstance(value, list):
            return [self._renamed(element, shape) for element in value]
        if isinstance(shape, Mapping):
            if not isinstance(value, dict):
                return value
            return {key: self._renamed(found, shape.get(key, Role.PLAIN)) for key, found in value.items()}
        if isinstance(value, str):
            return self.text(value) if shape is Role.NAME else self._key(value) if shape is Role.KEY else value
        if isinstance(value, dict):
            return self._mapping(value, shape)
        return value

    def _mapping(self, value: dict[str, Any], shape: Role) -> dict[str, Any]:
        if shape is Role.LABELS:
            return {self._key(key): self._value(key, found) for key, found in value.items()}
        if shape is Role.AMOUNTS:
            return {self._key(key): found for key, found in value.items()}
        if shape is not Role.REQUIREMENT:
            return value
        key = value.get("key")
        key = key if isinstance(key, str) else ""
        changed: dict[str, Any] = {}
        if "key" in value:
            changed["key"] = self._key(key)
        if "value" in value:
            changed["value"] = self._value(key, value["value"])
        if isinstance(value.get("values"), list):
            changed["values"] = [self._value(key, each) for each in value["values"]]
        return {**value, **changed}
