"""The context of a document: its configuration, the declared cluster, its unit, and the files that decide about it.

The working directory is the workspace's folder, so that paths and globs mean the same as on a command line there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Reading
from kubelint_gpu.engine.run import check
from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.inventory import InventoryError, load
from kubelint_gpu.kube.kinds.custom_workload import declare_rows
from kubelint_gpu.lsp.document.cluster_facts import Counts
from kubelint_gpu.lsp.document.open_documents import Texts, absolute
from kubelint_gpu.sources.files import SUFFIXES, collect, display_path
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.deciding import may_decide, meant_in
from kubelint_gpu.workspace.elsewhere import Elsewhere
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project import configuration_file as settings
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.kustomizations import NAMES as KUSTOMIZATIONS
from kubelint_gpu.workspace.project.targets import in_kustomized_folder
from kubelint_gpu.workspace.shared_objects import SHARED, are_one

_LISTING_LASTS = 5.0
_MOST_WORLDS = 4

_SKIPPED = frozenset({"node_modules", "venv", "__pycache__", "charts"})
MOST_ENTRIES = 20_000
_MOST = 200


class ReadFiles:
    """Texts, clusters and listings of folders that are kept between questions."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.counts = Counts()
        self.last_good: dict[str, ApplySet] = {}
        self._worlds: dict[tuple[str, ...], tuple[object, ClusterContext, tuple[Finding, ...]]] = {}
        self._listings: dict[Path, tuple[float, tuple[str, ...] | None]] = {}

    def world(self, paths: Sequence[str]) -> tuple[ClusterContext, tuple[Finding, ...]]:
        """Return the cluster that some files declare, and the findings about these files."""
        if not paths:
            return ClusterContext(), ()
        files = [file for path in paths for file in _files(path, self.texts)]
        key = tuple(files)
        version = [self.texts.version(absolute(file)) for file in files]
        known = self._worlds.get(key)
        if known is None or known[0] != version:
            world = _world(files, self.texts)
            if len(self._worlds) >= _MOST_WORLDS:
                self._worlds.clear()
            known = self._worlds[key] = (version, world, check((), world).findings)
        return known[1], known[2]

    def files(self, root: Path) -> tuple[str, ...] | None:
        """Return the manifests below a folder, listed again every few seconds; see `manifest_files`."""
        known = self._listings.get(root)
        if known is None or time.monotonic() - known[0] > _LISTING_LASTS:
            known = self._listings[root] = (time.monotonic(), manifest_files(root))
        return known[1]

    def forget_files(self) -> None:
        """Forget the listings: files were added or deleted."""
        self._listings.clear()


class Project:
    """The context of one document.

    Attributes:
        path: the document.
        configuration: its settings.
        world: the declared cluster.
        told: the findings about the inventory.
    """

    def __init__(self, question: dict[str, Any], memory: ReadFiles) -> None:
        """Enter the folder of the workspace.

        Raises:
            ConfigurationError: the configuration cannot be used.
        """
        os.chdir(question["folder"])
        self.path: str = question["path"]
        self._memory = memory
        if question.get("fresh"):
            memory.forget_files()
        self.configuration_path = configuration_path(question)
        self.configuration = self._configuration()
        # for a file of several clusters, only the first one is used while a user types
        clusters = self.configuration.clusters_of(self.shown)
        self.inventories: Sequence[str] = question["inventories"] or (clusters[0] if clusters else ())
        self.world, self.told = memory.world(self.inventories)

    @property
    def shown(self) -> str:
        """The path of the document, as printed."""
        return display_path(Path(self.path), Path.cwd())

    @property
    def reading(self) -> Reading | None:
        """The document, read; None if it cannot be read."""
        return self._memory.texts.reading(self.path, self.shown)

    def declares(self, path: str) -> bool:
        """Whether a file belongs to the inventory."""
        return path in {absolute(each.source.path) for each in self.world.readings if each.source is not None}

    def unit(self) -> ApplySet:
        """Return the document with the files that are applied with it, and the rest of the repository beside it.

        Files that the configuration declares as deployed run beside it; their kustomizations are not rendered here.
        """
        declare_rows(self.configuration.kinds)
        name = self.configuration.unit_of(self.shown)
        mine = [self.path]
        siblings: list[str] = []
        others: list[str] = []
        context: list[str] = []
        for path in self._neighbours():
            shown = display_path(Path(path), Path.cwd())
            if name is not None and self.configuration.unit_of(shown) == name:
                mine.append(path)
            elif self.configuration.is_context(shown):
                context.append(path)
            elif name is None and self._is_sibling(path, shown):
                siblings.append(path)
            else:
                others.append(path)
        readings = self._readings((*mine, *siblings))
        if siblings and not are_one(readings):
            readings = self._readings(mine)
            others += siblings
        shared = list(self._shared(others))
        neighbours = (*self._deciding(readings, others), *manifests(self._readings(context)))
        return ApplySet(readings, self.world, shared, neighbours=neighbours)

    def _deciding(self, readings: Sequence[Reading], others: Iterable[str]) -> list[Manifest]:
        """Return the objects of other directories that affect some files, as a run on the repository sees them."""
        clusters = self.configuration.clusters_of(self.shown)
        same = (
            path for path in others if self.configuration.clusters_of(display_path(Path(path), Path.cwd())) == clusters
        )
        return deciding(readings, {path: self._memory.texts.words(path) for path in same}, self._readings)

    def _is_sibling(self, path: str, shown: str) -> bool:
        """Whether a file is a plain manifest of the document's directory, and goes to the same clusters."""
        folder, settings = Path(self.path).parent, self.configuration
        return (
            Path(path).parent == folder
            and settings.unit_of(shown) is None
            and settings.clusters_of(shown) == settings.clusters_of(self.shown)
            and not any((folder / name).exists() for name in KUSTOMIZATIONS)
        )

    def _configuration(self) -> Configuration:
        path = self.configuration_path
        if path is None:
            return Configuration()
        reading = self._memory.texts.reading(absolute(str(path)), display_path(path, Path.cwd()))
        return settings.load(path) if reading is None else settings.interpret(path, reading)

    def _neighbours(self) -> Iterator[str]:
        found = self.configuration.path
        root = found.parent if found is not None else Path.cwd()
        listed = self._memory.files(root)
        fresh = (path for path in self._memory.texts if listed is not None and Path(path).is_relative_to(root))
        for path in dict.fromkeys((*(listed or ()), *fresh)):
            if path != self.path and not self.declares(absolute(path)):
                yield path

    def _shared(self, paths: Sequence[str]) -> Iterator[Manifest]:
        for path in paths:
            reading = None if SHARED.isdisjoint(self._memory.texts.words(path)) else self._reading(path)
            if reading is not None:
                yield from (manifest for manifest in manifests([reading]) if manifest.kind in SHARED)

    def _readings(self, paths: Sequence[str]) -> list[Reading]:
        return [reading for path in sorted(paths) if (reading := self._reading(path)) is not None]

    def _reading(self, path: str) -> Reading | None:
        return self._memory.texts.reading(path, display_path(Path(path), Path.cwd()))


def configuration_path(question: dict[str, Any]) -> Path | None:
    """Return the configuration for the document of a question; None if there is none."""
    if question["isolated"]:
        return None
    if question["config"]:
        return Path(question["config"])
    return settings.find(Path(question["path"]).parent, Path(question["folder"]))


def _files(path: str, texts: Texts) -> list[str]:
    if Path(path).is_dir() and absolute(path) not in texts:
        return [file.path for file in collect([path]).files]
    return [path]


def _world(files: Sequence[str], texts: Texts) -> ClusterContext:
    found = [(file, texts.reading(absolute(file), display_path(Path(file), Path.cwd()))) for file in files]
    readings = tuple(reading for _, reading in found if reading is not None)
    missing = [InventoryError(file, None, "no such file or directory") for file, reading in found if reading is None]
    inventory, errors = load(readings)
    return ClusterContext(inventory, readings, (*missing, *(() if missing and not readings else errors)))


def manifest_files(root: Path) -> tuple[str, ...] | None:
    """Return the manifests below a folder, sorted; None if there are too many to search while a user types.

    Hidden folders, dependencies, templates of Helm charts, and links are left out.
    """
    if root in (Path.home(), Path(root.anchor)):
        return None
    found: list[str] = []
    for seen, entry in enumerate(_entries(str(root)), 1):
        if seen > MOST_ENTRIES:
            return None
        if entry is not None:
            found.append(entry)
    return tuple(sorted(found))


def _entries(root: str) -> Iterator[str | None]:
    """Yield an entry for each file below a folder: its path if it is a manifest, else None."""
    todo = [root]
    while todo:
        try:
            with os.scandir(todo.pop()) as entries:
                children = list(entries)
        except OSError:
            continue
        is_chart = any(child.name == "Chart.yaml" for child in children)
        for child in children:
            if child.is_dir(follow_symlinks=False):
                skipped = (
                    child.name.startswith(".") or child.name in _SKIPPED or (is_chart and child.name == "templates")
                )
                if not skipped:
                    todo.append(child.path)
                yield None
            else:
                yield child.path if child.name.endswith(SUFFIXES) and child.is_file(follow_symlinks=False) else None


def deciding(
    readings: Sequence[Reading], words: Mapping[str, frozenset[str]], read: Callable[[Sequence[str]], list[Reading]]
) -> list[Manifest]:
    """Return the objects that affect some files; none if that takes more files than an editor can wait for.

    Args:
        readings: the files.
        words: the words in the other files of the repository, by absolute path.
        read: reads some of these.
    """
    meant = meant_in([reading.text for reading in readings])
    found = {path for path, each in words.items() if may_decide(each, meant) and not in_kustomized_folder(path)}
    folders = {Path(path).parent for path in found}
    near = {
        path
        for path, each in (words.items() if found else ())
        if Path(path).parent in folders or not meant.declared.isdisjoint(each)
    }
    if len(found | near) > _MOST:
        return []
    seen = Elsewhere([readings, *([reading] for reading in read(sorted(found | near)))], judged=1).seen_by(0)
    return list(seen.objects)
