"""The checkout that a run works in: where it begins, which paths lie in it, and what lies at a path."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from kubelint_gpu.patterns import pattern

LONGEST = 32 * 1024
"""Characters of a path that no system takes any more; Linux takes 4,096 bytes, Windows 32,767 characters."""
_GIT = ".git"
_MOST_CONFIG = 100_000
_REMOTE = pattern(r"^[ \t]*url[ \t]*=[ \t]*(\S+)", re.MULTILINE)
_NAME = pattern(r"[/:]([^/:]+/[^/:]+?)(?:\.git)?/?$")


def is_chart(path: str) -> bool:
    """Whether the path names a `Chart.yaml`, the file that makes a folder a Helm chart."""
    return os.path.basename(path) == "Chart.yaml"  # noqa: PTH119 - text, and often


def is_subchart(folder: str | Path) -> bool:
    """Whether the chart is a subchart: it lies in another chart and is rendered with it."""
    above, name = os.path.split(os.path.split(os.path.abspath(folder))[0])  # noqa: PTH100 - text
    return name == "charts" and is_file(os.path.join(above, "Chart.yaml"))  # noqa: PTH118 - same


def renders_nothing(folder: str | Path) -> bool:
    """Whether a folder has a library chart, or one without templates and dependencies; no link out is followed."""
    path = Path(folder, "Chart.yaml")
    if not is_file(path) or way_out(path, Path.cwd()) is not None:
        return False
    try:
        with path.open("rb") as file:
            chart = file.read(_MOST_CONFIG).decode("utf-8", "replace")
    except OSError:
        return False
    if re.search(r"(?m)^type:\s*[\"']?library\b", chart):
        return True
    may_depend = re.search(r"(?m)^[\"']?dependencies\b", chart) or exists(Path(folder, "requirements.yaml"))
    return not may_depend and not any(has_files(Path(folder, name)) for name in ("templates", "charts"))


def has_files(folder: str | Path) -> bool:
    """Whether a folder holds a file at any depth, or a link."""
    return any(names or any(Path(path, name).is_symlink() for name in below) for path, below, names in os.walk(folder))


def is_file(path: str | Path) -> bool:
    """Whether the path is a regular file, or a link to one."""
    return os.path.isfile(path)  # noqa: PTH113 - pathlib raises where a name is too long


def is_folder(path: str | Path) -> bool:
    """Whether the path is a folder, or a link to one."""
    return os.path.isdir(path)  # noqa: PTH112 - same


def exists(path: str | Path) -> bool:
    """Whether the path exists, links followed."""
    return os.path.exists(path)  # noqa: PTH110 - same


def repository_root(start: Path) -> Path:
    """Return the nearest folder at or above `start` that holds `.git`, else `start` itself."""
    folder = str(start)
    while not exists(os.path.join(folder, _GIT)):  # noqa: PTH118 - text, because a path may have 40,000 parts
        folder, below = os.path.dirname(folder), folder  # noqa: PTH120 - same
        if folder in ("", below):
            return start
    return Path(folder)


def repositories_around(paths: Iterable[str]) -> Iterator[str]:
    """Yield the real paths of the repositories that hold or enclose these absolute paths, or their links' targets."""
    seen: set[str] = set()
    # what is not there yet has a folder; a path that no system takes has none that a repository holds
    found = (path if exists(path) else os.path.dirname(path) for path in paths)  # noqa: PTH120 - text
    there = [path for path in found if exists(path)]
    for folder in (*there, *map(os.path.realpath, there)):
        while folder not in seen:
            seen.add(folder)
            if exists(os.path.join(folder, _GIT)):  # noqa: PTH118 - text
                yield os.path.realpath(folder)
            folder = os.path.dirname(folder)  # noqa: PLW2901, PTH120 - the next one upward


def anchor_of(paths: Iterable[str], cwd: Path) -> Path:
    """Return the folder from which a run looks for the files that it needs besides its paths.

    That is the working directory. If none of the paths lies in its repository, that is the root of the repository of
    the first path by name.
    """
    full = [Path(os.path.abspath(cwd / path)) for path in sorted(paths) if path != "-"]  # noqa: PTH100 - a link stays one
    mine = repository_root(cwd)
    if not full or (exists(mine / _GIT) and any(one.is_relative_to(mine) for one in full)):
        return cwd
    root = repository_root(full[0])
    return root if exists(root / _GIT) else cwd


def is_inside(real: str | Path, root: str | Path) -> bool:
    """Whether `real` lies below `root`, but not in its `.git`; both paths are without links."""
    path = Path(real)
    return path.is_relative_to(root) and _GIT not in path.relative_to(root).parts


def way_out(path: str | Path, cwd: Path) -> str | None:
    """Return where a link of the checkout leads a path out of the checkout or into its `.git`; None if none does.

    A user may write a path outside of the checkout. A link in the checkout may not lead there: a stranger may have made
    it. Without a repository, the working directory is the checkout.
    """
    full = os.path.join(cwd, path)  # noqa: PTH118 - a `..` behind a link must stay
    if os.path.realpath(full) == os.path.normpath(full):
        return None
    here = Path(full).anchor
    for part in Path(full).parts[1:]:
        named = os.path.join(here, part)  # noqa: PTH118 - same
        there = os.path.realpath(named)
        if os.path.islink(named):  # noqa: PTH114 - same
            root = _checkout_of(here, cwd)
            if root is not None and not is_inside(there, root):
                return there
        here = there
    return None


def leads_out(target: str) -> str:
    """Return why a path is refused: a link in the checkout leads outside, to `target`."""
    return f"it is a link of the checkout, or lies behind one, that leads outside: write the path itself, {target}"


def _checkout_of(folder: str, cwd: Path) -> str | None:
    """Return the real path of a folder's checkout: that of the working directory, else the folder's own repository."""
    mine = os.path.realpath(repository_root(cwd))
    within = Path(folder).is_relative_to(mine)
    if not (within and exists(os.path.join(mine, _GIT))):  # noqa: PTH118 - text
        other = repository_root(Path(folder))
        if exists(other / _GIT):
            return str(other)
    return mine if within else None


def root_of(folder: Path, wholes: Sequence[Path]) -> Path:
    """Return the repository of a folder; without one, the first of `wholes` that holds it, else the folder itself."""
    root = repository_root(folder)
    if (root / ".git").exists():
        return root
    return next((whole for whole in wholes if folder.is_relative_to(whole)), folder)


def may_be_address_of(address: object, root: Path) -> bool:
    """Whether `address` may be the address of this repository, to judge by its remotes.

    A remote that is a folder tells nothing, so any address may match.
    """
    if not isinstance(address, str) or len(address) > LONGEST:
        return False
    config = root / _GIT / "config"
    if not is_file(config):
        return True
    try:
        with config.open("rb") as file:
            text = file.read(_MOST_CONFIG).decode(errors="replace")
    except OSError:
        return True
    remotes = [one for one in _REMOTE().findall(text) if "://" in one or "@" in one]
    wanted = _NAME().search(address)
    names = [found[1].lower() for one in remotes if (found := _NAME().search(one)) is not None]
    return not names or (wanted is not None and wanted[1].lower() in names)
