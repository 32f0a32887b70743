"""The standard output and the exit code of a run, as an entry of a store."""

from __future__ import annotations

from kubelint_gpu.cache.store import Store, packed, unpacked

_LARGEST = 16 * 1024 * 1024


def recall(store: Store, key: str) -> tuple[int, str] | None:
    """The exit code and the output of a run; None if unknown."""
    found = store.get(key)
    data = unpacked(found, _LARGEST) if found is not None else None
    if data is None:
        return None
    try:
        code, _, text = data.decode().partition("\n")
        return int(code), text
    except ValueError:
        return None


def keep(store: Store, key: str, code: int, text: str) -> None:
    """Store the exit code and the output of a run."""
    try:
        data = f"{code}\n{text}".encode()
    except UnicodeEncodeError:
        return
    if len(data) <= _LARGEST:
        store.put(key, packed(data))
