"""The hashes of the standard library without OpenSSL, which `hashlib` loads: that takes longer than a hook hashes."""

from __future__ import annotations

try:
    from _blake2 import blake2b
    from _sha1 import sha1  # type: ignore[import-not-found]
except ImportError:
    from hashlib import blake2b, sha1

__all__ = ["blake2b", "sha1"]
