"""The order in which objects are applied: hooks of Helm and Argo CD, and sync waves.

Read from Helm 3.20 (pkg/releaseutil) and the pages on sync waves of Argo CD 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kubelint_gpu.kube.values.plain import mapping

_BEFORE = frozenset(("pre-install", "pre-upgrade", "presync"))
_WITH = frozenset(("crd-install", "sync"))
_AFTER = frozenset(("post-install", "post-upgrade", "postsync"))
_ELSEWHEN = frozenset((
    "pre-delete", "post-delete", "pre-rollback", "post-rollback", "test", "test-success", "test-failure",
    "predelete", "postdelete", "syncfail", "skip",
))  # fmt: skip
_HOOKS = ("argocd.argoproj.io/hook", "helm.sh/hook")
_WAVES = ("argocd.argoproj.io/sync-wave", "helm.sh/hook-weight")

Turn = tuple[int, int]
"""When an object is applied: before, with or after what is no hook, and its wave; what has a lower one is ready."""


def is_applied(value: Mapping[str, Any]) -> bool:
    """Whether an object is applied at all: hooks only for tests, deletion or rollback are not."""
    events = _events(value)
    return not events or not events.isdisjoint(_BEFORE | _WITH | _AFTER)


def is_before_install(value: Mapping[str, Any]) -> bool:
    """Whether an object only runs before the first install, so that it has ended before the rest is applied."""
    return _events(value) == {"pre-install"}


def turn_of(value: Mapping[str, Any]) -> Turn:
    """When an object is applied, as a sort key. A hook that runs before and after counts as before."""
    events = _events(value)
    moment = 0 if not events.isdisjoint(_BEFORE) else 2 if not events.isdisjoint(_AFTER) else 1
    return moment, next((_whole(text) for text in _annotations(value, _WAVES)), 0)


def unknown_hooks(value: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the events of a hook that neither Helm nor Argo CD knows: such an object is never applied by them."""
    return tuple(sorted(_events(value) - _BEFORE - _WITH - _AFTER - _ELSEWHEN))


def _events(value: Mapping[str, Any]) -> frozenset[str]:
    """The events of a hook, in lower case; empty if an object is no hook."""
    text = next(_annotations(value, _HOOKS), "")
    return frozenset(one.strip().lower() for one in text.split(",")) - {""}


def _annotations(value: Mapping[str, Any], keys: Sequence[str]) -> Iterator[str]:
    found = mapping(mapping(value.get("metadata")).get("annotations"))
    yield from (text for key in keys if isinstance(text := found.get(key), str))


def _whole(text: str) -> int:
    """An integer of at most 9 digits; 0 for any other text, as in Helm."""
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 9 else 0
