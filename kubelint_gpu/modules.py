"""The modules that runs import in one file beside their bytecode: a short run opens one file and not six hundred.

The file is written at the end of a run, of what the interpreter has compiled; whoever can write it can write that, too.
A module whose source is not what it was then is imported as any other.
"""
# ruff: noqa: PTH100, PTH105, PTH116, PTH118, PTH120, PTH123 - text: before anything else is imported, and often

from __future__ import annotations

import marshal
import os
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import MAGIC_NUMBER, spec_from_file_location
from types import ModuleType
from typing import Any

from kubelint_gpu.version import __version__

_KEPT = frozenset(("kubelint_gpu", "click", "ruamel", *sys.stdlib_module_names))
"""Whose modules are kept: of packages that read nothing through what loads them."""
_BEFORE = frozenset(sys.modules)
_HERE = os.path.dirname(os.path.abspath(__file__))
_FEW = 16  # so many modules that are not in the file are no reason to write it anew
_PLACE = os.path.join(_HERE, "__pycache__", f"modules.{sys.implementation.cache_tag}.bin")
_IS_POSSIBLE = hasattr(os, "pread") and not sys.flags.optimize and not sys.pycache_prefix
_IDENTITY = (MAGIC_NUMBER, __version__)
_kept: list[KeptModules] = []

Entry = tuple[str, bool, bytes, int, int]
"""The path from here, whether it is a package, time and size of the source; offset and length of the bytecode."""


class KeptModules:
    """Finds and loads the modules that a file holds."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY)
        self._begin = int.from_bytes(os.pread(self._file, 4, 0), "little")
        identity, self.entries = marshal.loads(os.pread(self._file, self._begin - 4, 4))  # noqa: S302 - of its own
        if identity != _IDENTITY:
            self.entries = {}

    def find_spec(self, name: str, _path: object = None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """The module of a name; None where the file has none, or its source is another one now."""
        entry = self.entries.get(name)
        path = os.path.normpath(f"{_HERE}/{entry[0]}") if entry is not None else ""
        if entry is None or _stamp(path) != entry[2]:
            return None
        spec = ModuleSpec(name, self, origin=path, is_package=entry[1])  # type: ignore[arg-type]
        spec.has_location = True
        if entry[1]:
            spec.submodule_search_locations = [os.path.dirname(path)]
        return spec

    def create_module(self, _spec: ModuleSpec) -> None:
        """None: the usual one."""

    def exec_module(self, module: ModuleType) -> None:
        """Run a module."""
        exec(marshal.loads(self.bytecode(module.__name__)), module.__dict__)  # noqa: S102, S302 - as any import does

    def bytecode(self, name: str) -> bytes:
        """What the file holds of a module."""
        # forked processes and threads share the place in the file: it is not moved
        return os.pread(self._file, self.entries[name][4], self._begin + self.entries[name][3])


def use() -> None:
    """Import modules out of the file from now on, where there is one."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        if _IS_POSSIBLE:
            _kept.append(KeptModules(_PLACE))
            sys.meta_path.insert(0, _kept[0])


def spec_at(name: str, path: str) -> ModuleSpec | None:
    """The module of a path, out of the file where it holds that."""
    found = _kept[0].find_spec(name) if _kept else None
    return found if found is not None and found.origin == path else spec_from_file_location(name, path)


def keep() -> None:
    """Write the file anew where this run has imported many modules that are not in it."""
    own: list[Any] = [sys.modules[name] for name in {*sys.modules} - _BEFORE if name.partition(".")[0] in _KEPT]
    missing = [one for one in own if getattr(one, "__loader__", None).__class__ is SourceFileLoader]
    if sys.dont_write_bytecode or not _IS_POSSIBLE or len(missing) <= _FEW:
        return
    with suppress(OSError, ValueError, TypeError):
        found = {name: (*entry[:3], one.bytecode(name)) for one in _kept for name, entry in one.entries.items()}
        for spec in (one.__spec__ for one in missing):
            with open(spec.cached, "rb") as file:
                data = file.read()
            if data[:8] == MAGIC_NUMBER + bytes(4):
                is_package = spec.submodule_search_locations is not None
                found[spec.name] = (os.path.relpath(spec.origin, _HERE), is_package, data[8:16], data[16:])
        entries: dict[str, Entry] = {}
        length = 0
        for name, (path, is_package, stamp, code) in found.items():
            entries[name] = (path, is_package, stamp, length, len(code))
            length += len(code)
        head = marshal.dumps((_IDENTITY, entries))
        temporary = f"{_PLACE}.{os.getpid()}"
        with open(temporary, "xb") as file:
            file.writelines(((len(head) + 4).to_bytes(4, "little"), head, *(code for *_, code in found.values())))
        os.replace(temporary, _PLACE)


def _stamp(path: str) -> bytes:
    """The time and size of a source as bytecode has them; nothing where there is none."""
    with suppress(OSError):
        found = os.stat(path)
        return b"".join((number & 0xFFFFFFFF).to_bytes(4, "little") for number in (int(found.st_mtime), found.st_size))
    return b""
