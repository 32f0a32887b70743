"""Files of the repository that no path of a run names, but whose objects affect its manifests."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING

from kubelint_gpu.documents import MAX_BYTES, read
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.patterns import pattern
from kubelint_gpu.sources.checkout import LONGEST, exists, is_file, is_inside, is_subchart, repository_root
from kubelint_gpu.sources.files import SKIPPED, SUFFIXES, SourceFile, collect, display_path
from kubelint_gpu.sources.git import GitError, files_with, untracked_files
from kubelint_gpu.workspace.deciding import may_decide, meant_in, words_in
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart
from kubelint_gpu.workspace.project.targets import in_kustomized_folder

if TYPE_CHECKING:
    from kubelint_gpu.sources.commit import Commit

_MOST = 1_000
_MANY = f"more than {_MOST:,} files have to do with them"
_MOST_DECIDED = 100
_MOST_NAMES = 5_000
_MOST_ENTRIES = 50_000
_MOST_LOOSE = 5_000
_MOST_BYTES = 32 << 20
_KINDS = ("PriorityClass", "RuntimeClass", "StorageClass")
_NAMED = pattern(r"""\b(?:priority|runtime|storage)ClassName["']?[ \t]*:[ \t]*["']?([a-z0-9][a-z0-9.-]*)""")
_CLASS_NAMES = ("priorityClassName", "runtimeClassName", "storageClassName")
_DECIDING = ("LimitRange", "ResourceQuota", "PodDisruptionBudget", "HorizontalPodAutoscaler")
_DECLARED = (*_DECIDING, *(f"kind: {kind}" for kind in _KINDS))
_WITH_PODS = (b"containers", b"replicas", b"resources")
_VALUE = pattern(r""":[ \t]*["']?([A-Za-z0-9][\w./-]*)""")
_APART = (".git", "pyvenv.cfg")
_OBJECT = b'"apiVersion"'
_BUILT_IN = "system-"

_FROM_HERE = "file://"
_GIT_OPS = (
    *(f"kind: {kind}" for kind in ("Application", "ApplicationSet", "HelmRelease", "GitRepository")),
    *(f"apiVersion: kustomize.toolkit.fluxcd.io/{version}" for version in ("v1", "v1beta2", "v1beta1")),
)
"""Texts of which one is in each file with an object of Argo CD or Flux."""


class Around:
    """The files of a repository beside those in `read` and `declared`: what git tracks, and what it does not ignore.

    Without git, these are the files below `root`. `unsearched` says why some were not searched; it is empty if all
    were. If no file of `read` lies in the repository, `is_apart`.
    """

    def __init__(
        self, root: Path, read: Iterable[str], declared: Iterable[str] = (), *, tracked_only: bool = False
    ) -> None:
        self.root, own = os.path.realpath(root), frozenset(map(os.path.realpath, read))
        self.known = own.union(map(os.path.realpath, declared))
        self.is_apart = not any(is_inside(path, self.root) for path in own)
        self.unsearched = ""
        self._tracked_only = tracked_only

    def holding(self, texts: Sequence[str]) -> tuple[Path, ...]:
        """Return the files that contain one of some texts, which end with a value; of untracked files, the value."""
        values = {text.rpartition(" ")[2].strip("\"'") for text in texts}
        loose = (path for path, there in self._loose.items() if not values.isdisjoint(there))
        found = (*tracked_with(texts, Path(self.root)), *loose)
        self.unsearched = _MANY if len(found) > _MOST else self.unsearched
        return found

    @cached_property
    def _loose(self) -> dict[Path, frozenset[str]]:
        """The values in each manifest that git does not track."""
        if self._tracked_only or self.is_apart:
            return {}
        size, wanted = 0, list[str]()
        for path in sorted(self._untracked()):
            if os.path.realpath(path) in self.known or not is_file(path):
                continue
            size += os.stat(path).st_size  # noqa: PTH116 - text, and often
            if len(wanted) == _MOST_LOOSE or size > _MOST_BYTES:
                self.unsearched = f"there are more than {_MOST_LOOSE:,} manifests, or {_MOST_BYTES >> 20} MB of them"
                break
            wanted.append(display_path(Path(path), Path.cwd()))
        return {
            Path(file.real): frozenset(_VALUE().findall(file.data.decode("utf-8", "replace")))
            for file in collect(wanted).files
            # a report of this program is no manifest
            if is_inside(file.real, self.root) and (not file.path.endswith(".json") or _OBJECT in file.data)
        }

    def _untracked(self) -> list[str]:
        """Return the manifests that git does not track and does not ignore; without git, all below the root."""
        if os.path.lexists(f"{self.root}/.git"):
            try:
                names = untracked_files(Path(self.root))
            except GitError as error:
                self.unsearched = str(error)
                return []
            plain = (name for name in names if not any(map(_is_left_out, name.split("/")[:-1])))
            return [f"{self.root}/{name}" for name in plain if name.endswith(SUFFIXES)]
        found, todo, count = list[str](), [self.root], 0
        for folder in todo:
            try:
                with os.scandir(folder) as entries:
                    children = sorted(islice(entries, _MOST_ENTRIES + 1), key=attrgetter("name"))
            except OSError:
                continue
            count += len(children)
            if count > _MOST_ENTRIES:
                self.unsearched = f"more than {_MOST_ENTRIES:,} files and folders lie below the directory of the run"
                break
            found += [each.path for each in children if each.name.endswith(SUFFIXES)]
            below = (each for each in children if each.is_dir(follow_symlinks=False) and not _is_left_out(each.name))
            todo += [one.path for one in below if not any(exists(f"{one.path}/{each}") for each in _APART)]
        return found


def _is_left_out(folder: str) -> bool:
    return folder.startswith(".") or folder in SKIPPED


def class_files(manifests: Iterable[bytes], around: Around) -> list[SourceFile]:
    """Return files that declare classes, if the manifests name a class that none of them declares.

    Args:
        manifests: the contents of the files of the run.
        around: the files beside those that the run reads anyway.
    """
    texts = [data.decode("utf-8", "replace") for data in manifests]
    paths = around.holding([f"kind: {kind}" for kind in _KINDS]) if missing_classes(texts) else ()
    return manifests_of(paths, around.known)


def decided_files(commit: Commit | None, files: Sequence[SourceFile], root: Path | None) -> tuple[list[str], str]:
    """Return the files with pods below a root that some files decide about; of a commit, or decided about before it.

    They name a class that is declared there, or a namespace with limits, budgets or scaling; of a commit they are
    tracked. Then why not all of them are returned; empty if all are. Without a commit, files that have no pods decide
    about those in their folders, and nothing is returned without a root.
    """
    root = commit.root if commit is not None else root
    if root is None or (commit is None and any(word in one.data for one in files for word in _WITH_PODS)):
        return [], ""
    texts = [one.data.decode("utf-8", "replace") for one in files]
    try:
        # what was there before matters where objects may be gone
        if commit is not None and (_lost(commit) or any(word in text for text in texts for word in _DECLARED)):
            texts += [data.decode("utf-8", "replace") for data in commit.before(max_bytes=MAX_BYTES).values()]
    except GitError as error:
        return [], str(error)
    wanted = _decided_words(texts, with_classes=commit is not None)
    if not wanted:
        return [], ""
    around = Around(root, [one.path for one in files], tracked_only=commit is not None)
    folders = None if commit is not None else {Path(one.path).parent for one in files}
    paths = [
        one.path
        for one in manifests_of(around.holding(wanted), around.known)
        if any(word in one.data for word in _WITH_PODS) and not in_kustomized_folder(one.path)
        if folders is None or Path(one.path).parent in folders
    ]
    many = f"more than {_MOST_DECIDED} files have pods that the commit decides about"
    return paths[:_MOST_DECIDED], many if len(paths) > _MOST_DECIDED else ""


def _lost(commit: Commit) -> bool:
    """Whether a commit deletes files."""
    return any(name and not os.path.lexists(path) for path, name in commit.changed.items())


def _decided_words(texts: Sequence[str], *, with_classes: bool) -> list[str]:
    """Return the words of which a file has one if texts decide about it: a namespace or, `with_classes`, a class."""
    spaces = meant_in([text for text in texts if any(kind in text for kind in _DECIDING)]).spaces
    declaring = [text for text in texts if any(kind in text for kind in _KINDS)] if with_classes else []
    keys = [("namespace", name) for name in sorted(spaces)]
    keys += [(key, name) for name in sorted(meant_in(declaring).declared) for key in _CLASS_NAMES]
    return [f"{key}: {quote}{name}" for key, name in keys for quote in ("", '"', "'")]


def deciding_files(manifests: Iterable[bytes], around: Around) -> list[SourceFile]:
    """Return files with objects that affect manifests, and files that show whether these objects count.

    Those are the files in the same folders, and files that declare an object with the name of a manifest: they show
    which folders are variants of each other. The arguments are those of `class_files`. Manifests outside of the
    repository are ignored.
    """
    texts = [data.decode("utf-8", "replace") for data in manifests if any(word in data for word in _WITH_PODS)]
    meant, known = meant_in(texts), around.known
    names = sorted({*meant.spaces, *meant.used, *meant.declared})
    if not texts or around.is_apart:
        return []
    if len(names) > _MOST_NAMES:
        around.unsearched = f"the manifests have more than {_MOST_NAMES:,} names"
        return []
    wanted = [f": {quote}{name}" for name in names for quote in ("", '"', "'")]
    wanted += [f"kind: {kind}" for kind in sorted(meant.kinds)]
    found = [
        file
        for file in manifests_of(around.holding(wanted), known)
        if may_decide(words_in(file.data.decode("utf-8", "replace")), meant) and not in_kustomized_folder(file.path)
    ]
    alike = around.holding([f"name: {name}" for name in sorted(meant.declared)]) if found else ()
    near = [path for folder in {Path(file.path).parent for file in found} for path in folder.iterdir()]
    if len(alike) + len(near) > _MOST:
        around.unsearched = _MANY
        return []
    return [*found, *manifests_of([*alike, *sorted(near)], {*known, *(os.path.realpath(file.path) for file in found)})]


def git_ops_files(offered: Sequence[SourceFile], around: Around) -> list[SourceFile]:
    """Return other files of the repository with GitOps objects, which might change folders of the offered files.

    If an object takes values from ConfigMaps, files with ConfigMaps are added.
    """
    if around.is_apart:
        return []
    files = manifests_of(around.holding(_GIT_OPS), around.known)
    for key, kinds in (b"valuesFrom", ["kind: ConfigMap"]), (b"substituteFrom", ["kind: ConfigMap", "kind: Secret"]):
        if any(key in file.data for file in (*offered, *files)):
            files += manifests_of(
                around.holding(kinds), {*around.known, *(os.path.realpath(each.path) for each in files)}
            )
    return files


def tracked_with(texts: Sequence[str], root: Path) -> tuple[Path, ...]:
    """Return the files in git's index that contain one of the texts; none if the repository or git does not say."""
    if not texts or not os.path.lexists(root / ".git"):
        return ()
    try:
        return files_with(texts, root)
    except GitError:
        return ()


def manifests_of(paths: Iterable[Path], known: Collection[str]) -> list[SourceFile]:
    """Return the manifests among some paths, at most 1,000, without those whose real path is known.

    A file that a link takes out of the repository is left out.
    """
    wanted = [path for path in paths if path.name.endswith(SUFFIXES) and os.path.realpath(path) not in known]
    return [*collect([display_path(path, Path.cwd()) for path in wanted[:_MOST] if path.is_file()]).files]


def missing_classes(texts: Iterable[str]) -> set[str]:
    """Return the classes that texts name and that none of them declares."""
    texts = list(texts)
    named = {found[1] for text in texts if "ClassName" in text for found in _NAMED().finditer(text)}
    missing = {name for name in named if not name.startswith(_BUILT_IN)}
    for text in (each for each in texts if any(kind in each for kind in _KINDS)):
        missing -= {name for name in missing if f"name: {name}" in text or f'"{name}"' in text}
    return missing


def charts_above(paths: Iterable[str], chosen: Sequence[ChosenChart] = ()) -> tuple[str, ...]:
    """Return the real paths of the charts that contain some files, or that are rendered with them.

    A chart is rendered with a file if the configuration says so, or if the chart depends on that of the file by a path
    within the repository.
    """
    folders: set[str] = set()
    roots: set[Path] = set()
    for path in paths:
        if not exists(path):
            continue
        real = os.path.realpath(path)
        folder = Path(real).parent
        root = repository_root(folder)
        for above in (folder, *folder.parents):
            if is_file(above / CHART) and not is_subchart(above):
                folders.add(str(above))
                roots.add(root)
            if above == root:
                break
        folders.update(chart.folder for chart in chosen if real in chart.files)
    users = grouped(pair for root in sorted(roots) for pair in _dependencies(root))
    todo = list(folders)
    while todo:
        further = [user for user in users.get(todo.pop(), ()) if user not in folders]
        folders.update(further)
        todo += further
    return tuple(sorted(folders))


def _dependencies(root: Path) -> Iterator[tuple[str, str]]:
    """Yield pairs of charts: a chart, and one that depends on it by a path; none if git does not answer."""
    for head in manifests_of((path for path in tracked_with([_FROM_HERE], root) if path.name == CHART), ()):
        folder = os.path.realpath(Path(head.path).parent)
        for document in read(head.path, head.data).documents:
            for entry in sequence(mapping(document.value).get("dependencies")):
                address = str(mapping(entry).get("repository"))[:LONGEST]
                if address.startswith(_FROM_HERE) and "\0" not in address:
                    yield os.path.realpath(Path(folder, address.removeprefix(_FROM_HERE))), folder
