"""The modules that runs import in one file beside their bytecode: a short run opens one file and not six hundred.

The file is written at the end of a run, of what the interpreter has compiled; whoever can write it can write that, too.
A module whose source is not what it was then is imported as any other, and so is one whose checksum is not that of
what the file holds: a damaged file is written anew. One of the standard library, and one of this
program that others import as a module and not by what is in it, runs when something of it is asked for: what only an
annotation or a rare branch names never does.
"""
# ruff: noqa: PTH100, PTH105, PTH108, PTH110, PTH116, PTH118, PTH120, PTH123, PTH208 - text: before anything else is imported, and often

from __future__ import annotations

import marshal
import os
import sys
from _frozen_importlib import ModuleSpec, module_from_spec
from _frozen_importlib_external import MAGIC_NUMBER, SourceFileLoader, spec_from_file_location
from _thread import RLock
from binascii import crc32

from kubelint_gpu.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import CodeType, ModuleType
    from typing import Any
else:
    ModuleType = type(sys)

_KEPT = frozenset(("kubelint_gpu", "click", "ruamel", *sys.stdlib_module_names))
"""Whose modules are kept: of packages that read nothing through what loads them."""
_BEFORE = frozenset(sys.modules)
_HERE = os.path.dirname(os.path.abspath(__file__))
_FEW = 16  # so many modules that are not in the file are no reason to write it anew
_TOGETHER = 16  # modules that one after the other imports: most runs need all of these, or none
_TAG = sys.implementation.cache_tag
_PLACE = os.path.join(_HERE, "__pycache__", f"modules.{_TAG}.bin")
_IS_POSSIBLE = hasattr(os, "pread") and not sys.flags.optimize and not sys.pycache_prefix
_IDENTITY = (MAGIC_NUMBER, sys.version, __version__, 8)
_BY_NAME = frozenset(("__future__", "collections.abc", "functools", "typing"))  # it is what is in them that is imported
_OF_IMPORT = ("__spec__", "__loader__", "__class__", "__path__")
_kept: list[KeptModules] = []
_compiled: dict[str, CodeType] = {}
patterns: dict[tuple[str, int], bytes] = {}
"""What `re` makes of the expressions that runs have used, by text and flags."""
made_patterns: list[Callable[[], dict[tuple[str, int], bytes]]] = []
"""What says that of those that this run has compiled."""

Entry = tuple[str, bool, bool, int, int, int, int, int]
"""The path, from here where it is below; whether it is a package, and runs later; time and size of the source; where
its group is, and its checksum."""
_HEAD = 8  # bytes: the length of the head, and its checksum


class KeptModules:
    """Finds and loads the modules that a file holds."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_RDONLY)
        first = os.pread(self._file, _HEAD, 0)
        size, checksum = int.from_bytes(first[:4], "little"), int.from_bytes(first[4:], "little")
        if size > os.fstat(self._file).st_size:
            raise ValueError
        self._begin = _HEAD + size
        head = os.pread(self._file, size, _HEAD)
        if crc32(head) != checksum:
            raise ValueError
        self.is_damaged = False
        identity, *held = marshal.loads(head)  # noqa: S302 - of its own
        self.entries, self.compiled, self.patterns = held if identity == _IDENTITY else ({}, {}, {})
        self._codes: dict[str, CodeType] = {}

    def find_spec(self, name: str, _path: object = None, _target: ModuleType | None = None) -> ModuleSpec | None:
        """The module of a name; None where the file has none, or its source is another one now."""
        entry = self.entries.get(name)
        if entry is None:
            return None
        path = entry[0] if entry[0].startswith("/") else f"{_HERE}/{entry[0]}"
        if _stamp(path) != entry[3:5]:
            return None
        spec = ModuleSpec(name, self, origin=path, is_package=entry[1])  # type: ignore[arg-type]
        spec.has_location = True
        folder, _, file = path.rpartition("/")
        spec.cached = f"{folder}/__pycache__/{file[:-3]}.{_TAG}.pyc"
        if entry[1]:
            spec.submodule_search_locations = [folder]
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """One that writes no message for each attribute that the import of it asks for, and that is not there yet."""
        return _Kept(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Run a module, or have it run later."""
        name = module.__name__

        def run(namespace: dict[str, Any]) -> None:
            exec(self.code(name), namespace)  # noqa: S102 - as any import does

        if self.entries[name][2]:
            module.__spec__.loader_state = RLock(), [run]  # type: ignore[union-attr]
            module.__class__ = _Later
        else:
            run(module.__dict__)
            if module.__class__ is _Kept and "__getattr__" in vars(module):
                module.__class__ = ModuleType  # type: ignore[assignment]

    def code(self, name: str) -> CodeType:
        """What the file holds of a module; that of its neighbours is made at once, which have words in common."""
        if name not in self._codes:
            path, *_, start, end, checksum = self.entries[name]
            # forked processes and threads share the place in the file: it is not moved
            group = os.pread(self._file, end - start, self._begin + start)
            if crc32(group) != checksum:
                self.is_damaged = True
                loader: Any = SourceFileLoader(name, path if path.startswith("/") else f"{_HERE}/{path}")
                found: CodeType = loader.get_code(name)
                return found
            self._codes |= marshal.loads(group)  # noqa: S302
        return self._codes.pop(name)


class _Kept(ModuleType):
    """A module that writes no message where it has no attribute: each `from` asks whether it is a package."""

    __getattribute__ = object.__getattribute__


class _Later(ModuleType):
    """A module that runs when something of it is first asked for, in the thread that does; others wait for it."""

    def __getattribute__(self, name: str) -> Any:
        spec: Any = ModuleType.__getattribute__(self, "__spec__")
        if name not in _OF_IMPORT and f"{spec.name}.{name}" not in sys.modules:
            lock, pending = spec.loader_state
            with lock:
                if pending:
                    pending.pop()(ModuleType.__getattribute__(self, "__dict__"))
                    if object.__getattribute__(self, "__class__") is _Later:
                        # of a plain one the interpreter gets attributes quickest
                        self.__class__ = _Kept if spec.name in _BY_NAME else ModuleType  # type: ignore[assignment]
        return ModuleType.__getattribute__(self, name)


def use() -> None:
    """Import modules out of the file from now on, where there is one."""
    try:
        if _IS_POSSIBLE:
            _kept.append(KeptModules(_PLACE))
            sys.meta_path.insert(0, _kept[0])
            _compiled.update(_kept[0].compiled)
            patterns.update(_kept[0].patterns)
            for name in _BY_NAME & sys.modules.keys():
                sys.modules[name].__class__ = _Kept
    except (OSError, ValueError, EOFError, TypeError):
        pass


def compiled(text: str) -> CodeType:
    """What a text of this program compiles to, out of the file where it holds that."""
    if text not in _compiled:
        _compiled[text] = compile(text, "<made>", "exec")
    return _compiled[text]


def module_at(name: str, path: str) -> ModuleType | None:
    """The module of a path that has not run, out of the file where it holds that; None where there can be none."""
    found = _kept[0].find_spec(name) if _kept else None
    spec = found if found is not None and found.origin == path else spec_from_file_location(name, path)
    return module_from_spec(spec) if spec is not None and spec.loader is not None else None


def keep() -> None:
    """Write the file anew where this run has imported many modules that are not in it."""
    own: list[Any] = [
        sys.modules[name] for name in [*sys.modules] if name not in _BEFORE and name.partition(".")[0] in _KEPT
    ]
    missing = [one for one in own if getattr(one, "__loader__", None).__class__ is SourceFileLoader]
    damaged = any(one.is_damaged for one in _kept)
    if sys.dont_write_bytecode or not _IS_POSSIBLE or (len(missing) <= _FEW and not damaged):
        return
    # what was imported before the file was in use may be in it
    missing = [one for one in missing if not any(kept.find_spec(one.__name__) for kept in _kept)]
    if len(missing) <= _FEW and not damaged:
        return
    from contextlib import suppress

    with suppress(OSError, ValueError, TypeError):
        _write([one.__spec__ for one in missing if one.__spec__.cached])


def _write(specs: list[Any]) -> None:
    codes = {name: one.code(name) for one in _kept for name in one.entries}
    about = {name: entry[:5] for one in _kept for name, entry in one.entries.items()}
    for spec in specs:
        with open(spec.cached, "rb") as file:
            data = file.read()
        if data[:8] == MAGIC_NUMBER + bytes(4):
            is_package = spec.submodule_search_locations is not None
            stamp = (int.from_bytes(data[place : place + 4], "little") for place in (8, 12))
            about[spec.name] = (spec.origin.removeprefix(os.path.join(_HERE, "")), is_package, False, *stamp)
            codes[spec.name] = marshal.loads(data[16:])  # noqa: S302 - as any import does
    as_modules = {name for code in codes.values() for name in _modules_in(code)}
    for name, (path, is_package, _, *stamp) in about.items():
        later = name.partition(".")[0] != "kubelint_gpu" or name in as_modules
        about[name] = path, is_package, later, *stamp
    at_once = [name for name in about if not about[name][2]]
    groups = [[name] for name in about if about[name][2]]
    groups += [at_once[place : place + _TOGETHER] for place in range(0, len(at_once), _TOGETHER)]
    entries: dict[str, Entry] = {}
    body = b""
    for names in groups:
        start, body = len(body), body + marshal.dumps({name: codes[name] for name in names})
        entries |= {name: (*about[name], start, len(body), crc32(body[start:])) for name in names}
    for made in made_patterns:
        patterns.update(made())
    head = marshal.dumps((_IDENTITY, entries, _compiled, patterns))
    folder, name = os.path.split(_PLACE)
    for left in os.listdir(folder):
        if left.startswith(f"{name}."):  # of a run that was killed
            os.unlink(os.path.join(folder, left))
    temporary = f"{_PLACE}.{os.getpid()}"
    try:
        with open(temporary, "xb") as file:
            file.writelines((len(head).to_bytes(4, "little"), crc32(head).to_bytes(4, "little"), head, body))
        os.replace(temporary, _PLACE)
    except OSError:
        if os.path.exists(temporary):
            os.unlink(temporary)
        raise


def _modules_in(code: CodeType) -> Iterator[str]:
    """What a module imports from packages, by its full name; that of a module where it imports one."""
    from dis import get_instructions

    last: Any = None
    for one in get_instructions(code):
        if one.opname == "IMPORT_NAME":
            yield from (f"{one.argval}.{name}" for name in last or ())
        elif one.opname == "LOAD_CONST":
            last = one.argval


def _stamp(path: str) -> tuple[int, ...]:
    """The time and size of a source as bytecode has them; nothing where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return ()
    return int(found[8]) & 0xFFFFFFFF, found.st_size & 0xFFFFFFFF
