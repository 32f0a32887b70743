"""What objects of Argo CD and Flux apply from their own repository: charts with their values, and folders.

Sources: `helmTemplate` and `mergeSourceParameters` of the repo server of Argo CD (2.x); `GetReleaseName` and
`valuesFiles` of the HelmRelease of Flux (v2).
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Document, Pointer, read
from kubelint_gpu.documents.document import value_at
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources import SourceFile, collect
from kubelint_gpu.sources.checkout import is_inside, may_be_address_of, repository_root
from kubelint_gpu.sources.files import SUFFIXES, display_path
from kubelint_gpu.sources.git import GitError, files_with
from kubelint_gpu.sources.helm.given_values import GivenValues, is_release
from kubelint_gpu.sources.paths import LONGEST, is_file, is_folder
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.project.application_sets import CannotFollowError, applications
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart, may_have_git_ops

Followed = tuple[str, int]
"""An object that is followed: its file as it is printed, and which document of it."""

_MOST_FILES = 1_000


class GitOps(Value):
    """What objects of GitOps controllers apply.

    Attributes:
        charts: the charts of this repository, each with what an object renders it with.
        followed: the objects of which everything that they name is judged.
    """

    charts: tuple[ChosenChart, ...] = ()
    followed: frozenset[Followed] = frozenset()


def objects_beside(root: Path, known: Iterable[str]) -> list[SourceFile]:
    """The tracked files of a repository with objects of GitOps controllers, but for those that are known."""
    if not os.path.lexists(root / ".git"):
        return []
    try:
        found = files_with(["kind: Application", "kind: HelmRelease", "kind: GitRepository"], root)
    except GitError:
        return []
    read_already = {os.path.realpath(path) for path in known}
    paths = [path for path in found if path.name.endswith(SUFFIXES) and os.path.realpath(path) not in read_already]
    return [*collect([display_path(path, Path.cwd()) for path in paths[:_MOST_FILES] if path.is_file()]).files]


def followed(files: Sequence[SourceFile], beside: Sequence[SourceFile] = ()) -> GitOps:
    """What the objects of GitOps controllers in some files apply from the repository that they lie in.

    Repositories that they name may be declared in files `beside` them.
    """
    charts: list[ChosenChart] = []
    done: set[Followed] = set()
    addresses = dict(_repositories((*files, *beside)))
    for file in files:
        if not may_have_git_ops(file.data):
            continue
        real = Path(file.real or os.path.realpath(file.path))
        root = repository_root(real.parent)
        for document in read(file.path, file.data).documents:
            follow = _KINDS.get(_kind(document.value))
            if follow is None or not real.is_relative_to(root):
                continue
            one = _Object(document, real.relative_to(root).as_posix(), root, addresses)
            try:
                charts += list(follow(one))
            except CannotFollowError:
                continue
            done.add((file.path, document.index))
    return GitOps(tuple(charts), frozenset(done))


def _repositories(files: Iterable[SourceFile]) -> Iterator[tuple[str, Any]]:
    """The names of the GitRepositories of Flux, each with its address."""
    for file in files:
        for document in read(file.path, file.data).documents if b"GitRepository" in file.data else ():
            if _kind(document.value) == ("source.toolkit.fluxcd.io", "GitRepository"):
                name = mapping(document.value.get("metadata")).get("name")
                if isinstance(name, str):
                    yield name, mapping(document.value.get("spec")).get("url")


def _kind(value: Any) -> tuple[str, str]:
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        return "", ""
    return api_group(value), value["kind"]


class _Object:
    """An object of a GitOps controller, and the repository that it lies in.

    `made` is what a template of the object gives, which stands at a `pointer` of it.
    """

    def __init__(
        self,
        document: Document,
        path: str,
        root: Path,
        addresses: Mapping[str, Any],
        made: dict[str, Any] | None = None,
        pointer: Pointer = (),
    ) -> None:
        self.value: dict[str, Any] = document.value if made is None else made
        self.spec = mapping(self.value.get("spec"))
        self.root = root
        self._document = document
        self._path = path
        self._addresses = addresses
        self._pointer = pointer

    def applications(self) -> Iterator[_Object]:
        """The Applications that it makes.

        Raises:
            CannotFollowError: as `applications` does.
        """
        parts = (self._document, self._path, self.root, self._addresses)
        for made in applications(self.spec, self.root):
            yield _Object(*parts, {"kind": "Application", **made}, ("spec", "template"))

    @property
    def name(self) -> str:
        """`metadata.name`."""
        name = mapping(self.value.get("metadata")).get("name")
        return name if isinstance(name, str) else ""

    @property
    def title(self) -> str:
        """What a message calls it."""
        return f"{self.value['kind']} {self.name}"

    def is_from_here(self, reference: Any) -> bool:
        """Whether a reference of Flux names this repository, as far as the address of what it names says."""
        found = mapping(reference)
        name = found.get("name")
        if found.get("kind") != "GitRepository" or not isinstance(name, str):
            return False
        return name not in self._addresses or may_be_address_of(self._addresses[name], self.root)

    def folder(self, path: Any) -> str:
        """A folder of the repository by its path below the root.

        Raises:
            CannotFollowError: there is none.
        """
        if not isinstance(path, str) or len(path) > LONGEST or "\0" in path:
            raise CannotFollowError
        below = posixpath.normpath(path.lstrip("/") or ".")
        full = self.root / below
        if below.startswith("..") or not is_inside(os.path.realpath(full), self.root) or not is_folder(full):
            raise CannotFollowError
        return below

    def file(self, path: str) -> GivenValues | None:
        """A file of values of the repository by its path below the root; None if there is none."""
        below = posixpath.normpath(path)
        full = self.root / below
        inside = len(path) <= LONGEST and "\0" not in path and not below.startswith(("..", "/"))
        if not inside or not is_inside(os.path.realpath(full), self.root) or not is_file(full):
            return None
        return GivenValues(below)

    def part(self, form: Any, *pointer: str | int) -> GivenValues:
        """Values that the object holds.

        Raises:
            CannotFollowError: they are not as they are written, but filled in.
        """
        whole = (*self._pointer, *pointer)
        if value_at(self._document.value, whole) != value_at(self.value, pointer):
            raise CannotFollowError
        return GivenValues(self._path, form, self._document.index, whole)

    def chart(self, folder: str, release: Any, namespace: Any, values: Iterable[GivenValues]) -> ChosenChart:
        """A chart as the object renders it.

        Raises:
            CannotFollowError: its names are none.
        """
        for name in (release, namespace):
            if not isinstance(name, str) or not is_release(name):
                raise CannotFollowError
        path = display_path(self.root / folder, Path.cwd())
        return ChosenChart(path, release, namespace, given=tuple(values), title=self.title)


def _application(one: _Object) -> Iterator[ChosenChart]:
    """An Application of Argo CD: charts, kustomizations and folders of this repository.

    Raises:
        CannotFollowError: a source is elsewhere, or is changed in a way that is not done here.
    """
    several = "sources" in one.spec
    sources = [mapping(entry) for entry in (sequence(one.spec["sources"]) if several else [one.spec.get("source")])]
    if not sources:
        raise CannotFollowError
    references: set[str] = set()
    for source in sources:
        if not may_be_address_of(source.get("repoURL"), one.root):
            raise CannotFollowError
        if isinstance(source.get("ref"), str):
            references.add(f"${source['ref']}")
    namespace = mapping(one.spec.get("destination")).get("namespace") or "default"
    for number, source in enumerate(sources):
        if "ref" in source and "path" not in source:
            continue
        folder = one.folder(source.get("path"))
        if source.get("kustomize") or source.get("plugin") or source.get("directory"):
            raise CannotFollowError
        overrides = (".argocd-source.yaml", f".argocd-source-{one.name}.yaml")
        if "/" in one.name or any(is_file(one.root / folder / name) for name in overrides):
            raise CannotFollowError
        if is_file(one.root / folder / CHART):
            pointer = ("spec", "sources", number, "helm") if several else ("spec", "source", "helm")
            helm = mapping(source.get("helm"))
            values = list(_argo_values(one, helm, folder, references, pointer))
            yield one.chart(folder, helm.get("releaseName") or one.name, helm.get("namespace") or namespace, values)


def _application_set(one: _Object) -> Iterator[ChosenChart]:
    """An ApplicationSet of Argo CD: all Applications that it makes.

    Raises:
        CannotFollowError: one of them cannot be followed, or it is not known which they are.
    """
    for made in one.applications():
        yield from _application(made)


def _argo_values(
    one: _Object, helm: dict[str, Any], folder: str, references: set[str], pointer: Pointer
) -> Iterator[GivenValues]:
    """The values in Argo CD's order: files, `values` or `valuesObject`, parameters.

    Raises:
        CannotFollowError: a file is missing, or a value comes of a file.
    """
    if helm.get("fileParameters"):
        raise CannotFollowError
    for name in sequence(helm.get("valueFiles")):
        if not isinstance(name, str):
            raise CannotFollowError
        head, _, rest = name.partition("/")
        path = rest if head in references or name.startswith("/") else posixpath.join(folder, name)
        found = one.file(path)
        if found is not None:
            yield found
        elif helm.get("ignoreMissingValueFiles") is not True:
            raise CannotFollowError
    if helm.get("valuesObject"):
        yield one.part("mapping", *pointer, "valuesObject")
    elif helm.get("values"):
        if not _is_mapping(helm["values"]):
            raise CannotFollowError
        yield one.part("text", *pointer, "values")
    parameters = [mapping(entry) for entry in sequence(helm.get("parameters"))]
    if any("[" in str(entry.get("name")) or str(entry.get("value"))[:1] in ("{", "$") for entry in parameters):
        raise CannotFollowError
    if parameters:
        yield one.part("parameters", *pointer, "parameters")


def _is_mapping(text: Any) -> bool:
    """Whether a text is YAML that holds a mapping."""
    found = read("", text.encode(errors="replace")) if isinstance(text, str) else None
    return found is not None and not found.problems and any(isinstance(one.value, dict) for one in found.documents)


def _helm_release(one: _Object) -> Iterator[ChosenChart]:
    """A HelmRelease of Flux whose chart lies in this repository.

    Raises:
        CannotFollowError: it lies elsewhere, or its values do.
    """
    chart = mapping(mapping(one.spec.get("chart")).get("spec"))
    if not one.is_from_here(chart.get("sourceRef")) or one.spec.get("valuesFrom"):
        raise CannotFollowError
    if one.spec.get("postRenderers"):
        raise CannotFollowError
    folder = one.folder(chart.get("chart"))
    if not is_file(one.root / folder / CHART):
        raise CannotFollowError
    values = []
    for name in sequence(chart.get("valuesFiles")):
        found = one.file(name.lstrip("/")) if isinstance(name, str) else None
        if found is None:
            raise CannotFollowError
        values.append(found)
    own = one.file(posixpath.join(folder, "values.yaml"))
    if values and own is not None and own not in values:
        # these files stand in place of the values of the chart
        raise CannotFollowError
    if isinstance(one.spec.get("values"), dict):
        values.append(one.part("mapping", "spec", "values"))
    namespace = mapping(one.value.get("metadata")).get("namespace") or "default"
    target = one.spec.get("targetNamespace")
    release = one.spec.get("releaseName") or (f"{target}-{one.name}" if target else one.name)
    yield one.chart(folder, release, target or namespace, values)


def _kustomization(one: _Object) -> Iterator[ChosenChart]:
    """A Kustomization of Flux: a folder of this repository, which is judged as it lies there.

    Raises:
        CannotFollowError: it lies elsewhere, or is changed on the way.
    """
    changes = ("postBuild", "patches", "images", "components", "targetNamespace", "namePrefix", "nameSuffix")
    if any(one.spec.get(key) for key in changes) or not one.is_from_here(one.spec.get("sourceRef")):
        raise CannotFollowError
    one.folder(one.spec.get("path") or ".")
    yield from ()


_KINDS = {
    ("argoproj.io", "Application"): _application,
    ("argoproj.io", "ApplicationSet"): _application_set,
    ("helm.toolkit.fluxcd.io", "HelmRelease"): _helm_release,
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): _kustomization,
}


def ways(charts: Sequence[ChosenChart], found: Sequence[ChosenChart]) -> tuple[ChosenChart, ...]:
    """How charts are rendered: as the configuration says, else as GitOps objects do it."""
    named = {one.folder for one in charts}
    return (*charts, *(one for one in found if one.folder not in named))
