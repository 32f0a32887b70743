"""The folder of cached results: below the user's cache folder, which must be the user's own and outside any checkout.

The files of a checkout were written by strangers. Therefore a cache folder inside a checkout is not used, nor one that
another user owns or may write to, nor a link.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path

from kubelint_gpu.sources.checkout import exists, repository_root

SWITCH = "KUBELINT_GPU_NO_CACHE"
"""The environment variable that switches the cache off where it is not empty."""
_NAME = "kubelint-gpu"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def cache_folder() -> Path | None:
    """The folder for results, existing or not; None if it is switched off, or no folder may be used."""
    if os.environ.get(SWITCH):
        return None
    base = _user_folder()
    if base is None or not base.is_absolute():
        return None
    folder = base / _NAME
    real = Path(os.path.realpath(folder))
    here = os.path.realpath(repository_root(Path.cwd()))
    return None if real.is_relative_to(here) or exists(repository_root(real) / ".git") else folder


def opened(folder: Path, *, make: bool) -> bool:
    """Whether a folder is the user's own, readable and writable; with `make` it is created."""
    if make:
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        found = folder.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and is_own(found)


def is_own(found: os.stat_result) -> bool:
    """Whether a file or folder belongs to the user of this process, and no other user may write to it."""
    if not hasattr(os, "geteuid"):
        return True
    return found.st_uid == os.geteuid() and not found.st_mode & _OTHERS_WRITE


def _user_folder() -> Path | None:
    if sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA")
        return Path(given) if given else None
    given = os.environ.get("XDG_CACHE_HOME")
    if given and os.path.isabs(given):  # noqa: PTH117 - text
        return Path(given)
    home = os.environ.get("HOME")
    if not home:
        return None
    return Path(home, "Library", "Caches") if sys.platform == "darwin" else Path(home, ".cache")
