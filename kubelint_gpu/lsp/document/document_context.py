"""What surrounds a document: the configuration that is valid for it, the declared cluster, its unit.

The working directory is the workspace's folder, so that paths and globs mean what they mean on a command line there.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Reading
from kubelint_gpu.engine.run import check
from kubelint_gpu.findings.finding import Finding
from kubelint_gpu.inventory import InventoryError, load
from kubelint_gpu.kube.kinds.custom_workload import declare_rows
from kubelint_gpu.lsp.document.cluster_facts import Counts
from kubelint_gpu.lsp.document.deciding_files import deciding, manifest_files
from kubelint_gpu.lsp.document.texts import Texts, absolute
from kubelint_gpu.sources import collect
from kubelint_gpu.sources.files import display_path
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import Manifest, manifests
from kubelint_gpu.workspace.project import configuration_file as settings
from kubelint_gpu.workspace.project.configuration import Configuration
from kubelint_gpu.workspace.project.kustomizations import NAMES as KUSTOMIZATIONS
from kubelint_gpu.workspace.shared_objects import SHARED, are_one

_LISTING_LASTS = 5.0
_MOST_WORLDS = 4


class ReadFiles:
    """What is kept between questions: texts, clusters, listings of folders."""

    def __init__(self) -> None:
        self.texts = Texts()
        self.counts = Counts()
        self.last_good: dict[str, ApplySet] = {}
        self._worlds: dict[tuple[str, ...], tuple[object, ClusterContext, tuple[Finding, ...]]] = {}
        self._listings: dict[Path, tuple[float, tuple[str, ...] | None]] = {}

    def world(self, paths: Sequence[str]) -> tuple[ClusterContext, tuple[Finding, ...]]:
        """The cluster that some files declare, and what is to be said of them."""
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
        """The manifests below a folder, looked up again every few seconds; see `manifest_files`."""
        known = self._listings.get(root)
        if known is None or time.monotonic() - known[0] > _LISTING_LASTS:
            known = self._listings[root] = (time.monotonic(), manifest_files(root))
        return known[1]

    def forget_files(self) -> None:
        """Files have come or gone."""
        self._listings.clear()


class Project:
    """What is valid for one document.

    Attributes:
        path: the document.
        configuration: the settings that are valid for it.
        world: the declared cluster.
        told: what is to be said of the inventory.
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
        # where a file goes to several clusters, the first one is looked at while somebody types
        clusters = self.configuration.clusters_of(self.shown)
        self.inventories: Sequence[str] = question["inventories"] or (clusters[0] if clusters else ())
        self.world, self.told = memory.world(self.inventories)

    @property
    def shown(self) -> str:
        """The document's path as it is shown."""
        return display_path(Path(self.path), Path.cwd())

    @property
    def reading(self) -> Reading | None:
        """The document, read."""
        return self._memory.texts.reading(self.path, self.shown)

    def declares(self, path: str) -> bool:
        """Whether a file is one of the inventory's."""
        return path in {absolute(one.source.path) for one in self.world.readings if one.source is not None}

    def unit(self) -> ApplySet:
        """The document with what is applied together with it; what else lies in the repository is beside it.

        What the configuration says is deployed already runs beside it; kustomizations among that are not rendered here.
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
        """The objects of other directories that decide about some files, as a run on the repository sees them."""
        clusters = self.configuration.clusters_of(self.shown)
        same = (
            path for path in others if self.configuration.clusters_of(display_path(Path(path), Path.cwd())) == clusters
        )
        return deciding(readings, {path: self._memory.texts.words(path) for path in same}, self._readings)

    def _is_sibling(self, path: str, shown: str) -> bool:
        """Whether a file is one of the plain manifests of the document's directory, and goes to the same clusters."""
        folder, settings = Path(self.path).parent, self.configuration
        return (
            Path(path).parent == folder
            and settings.unit_of(shown) is None
            and settings.clusters_of(shown) == settings.clusters_of(self.shown)
            and not any((folder / one).exists() for one in KUSTOMIZATIONS)
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
                yield from (found for found in manifests([reading]) if found.kind in SHARED)

    def _readings(self, paths: Sequence[str]) -> list[Reading]:
        return [reading for path in sorted(paths) if (reading := self._reading(path)) is not None]

    def _reading(self, path: str) -> Reading | None:
        return self._memory.texts.reading(path, display_path(Path(path), Path.cwd()))


def configuration_path(question: dict[str, Any]) -> Path | None:
    """The configuration that is valid for the document of a question."""
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
