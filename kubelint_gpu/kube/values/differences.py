"""Where two versions of an object differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder


def differences(old: Any, new: Any, at: Pointer = (), *, live: bool = False) -> Iterator[Pointer]:
    """The smallest parts that differ, in the order of the new version; what is gone comes last.

    `live`: the old version was read from a cluster, which has added fields of its own: what is gone there is no
    difference.
    A placeholder may become anything, so it differs from nothing.
    """
    if is_placeholder(old) or is_placeholder(new):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in new.items():
            if key in old:
                yield from differences(old[key], value, (*at, key), live=live)
            elif not is_placeholder(value):
                yield (*at, key)
        if not live:
            yield from ((*at, key) for key in old if key not in new)
    elif isinstance(old, list) and isinstance(new, list):
        for index, value in enumerate(new):
            if index < len(old):
                yield from differences(old[index], value, (*at, index), live=live)
            else:
                yield (*at, index)
        if len(old) > len(new) and not live:
            yield at
    elif old != new or isinstance(old, bool) != isinstance(new, bool):
        yield at
