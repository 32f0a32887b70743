"""What objects of Argo CD and Flux apply from their own repository: charts with their values, and folders.

Sources: `GetReleaseName` and `valuesFiles` of the HelmRelease of Flux (v2), and `ChartValuesFromReferences` of its
controller.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Pointer, read
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.checkout import is_file, may_be_address_of, repository_root
from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.sources.kustomize.variables import Variables
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart, may_have_git_ops
from kubelint_gpu.workspace.project.files_beside import manifests_of, tracked_with
from kubelint_gpu.workspace.project.git_ops.application_sets import applications
from kubelint_gpu.workspace.project.git_ops.git_object import (
    ELSEWHERE,
    NO_FILE,
    CannotFollowError,
    GitObject,
    Named,
    is_mapping,
    variables_of,
)

_CHANGE_NO_POD = frozenset(("images", "version", "recurse"))
"""Fields of `kustomize` and `directory` that change nothing of where pods go: all below a folder is judged anyway."""

Followed = tuple[str, int]
"""An object that is followed: its file as it is printed, and which document of it."""


def application(one: GitObject) -> Iterator[ChosenChart]:
    """An Application of Argo CD: charts, and folders of this repository that hold none.

    Raises:
        CannotFollowError: a source is elsewhere, or is changed in a way that is not done here.
    """
    several = "sources" in one.spec
    sources = [mapping(entry) for entry in (sequence(one.spec["sources"]) if several else [one.spec.get("source")])]
    if not sources:
        raise CannotFollowError("it names no source")
    references: set[str] = set()
    for source in sources:
        if not may_be_address_of(source.get("repoURL"), one.root):
            raise CannotFollowError(ELSEWHERE)
        if isinstance(source.get("ref"), str):
            references.add(f"${source['ref']}")
    destination = mapping(one.spec.get("destination"))
    namespace = destination.get("namespace") or "default"
    sent_to = tuple(str(destination[key]) for key in ("name", "server") if destination.get(key))
    for number, source in enumerate(sources):
        if "ref" in source and "path" not in source:
            continue
        folder = one.folder(source.get("path"))
        changed = {*mapping(source.get("kustomize")), *mapping(source.get("directory"))} - _CHANGE_NO_POD
        if changed or source.get("plugin"):
            raise CannotFollowError("`kustomize`, `directory` or a plugin changes what the source holds")
        overrides = (".argocd-source.yaml", f".argocd-source-{one.name}.yaml")
        if "/" in one.name or any(is_file(one.root / folder / name) for name in overrides):
            raise CannotFollowError("a file `.argocd-source.yaml` can change what the source says")
        if is_file(one.root / folder / CHART):
            pointer = ("spec", "sources", number, "helm") if several else ("spec", "source", "helm")
            helm = mapping(source.get("helm"))
            values = list(_argo_values(one, helm, folder, references, pointer))
            release = helm.get("releaseName") or one.name
            yield replace(one.chart(folder, release, helm.get("namespace") or namespace, values), sent_to=sent_to)
        else:
            yield ChosenChart(one.shown(folder), sent_to=sent_to)


def application_set(one: GitObject) -> Iterator[ChosenChart]:
    """An ApplicationSet of Argo CD: all Applications that it makes.

    Raises:
        CannotFollowError: one of them cannot be followed, or it is not known which they are.
    """
    for made in applications(one.spec, one.root):
        yield from application(one.with_template({"kind": "Application", **made}, "spec", "template"))


def _argo_values(
    one: GitObject, helm: dict[str, Any], folder: str, references: set[str], pointer: Pointer
) -> Iterator[GivenValues]:
    """The values in Argo CD's order: files, `values` or `valuesObject`, parameters.

    Raises:
        CannotFollowError: a file is missing, or a value comes of a file.
    """
    if helm.get("fileParameters"):
        raise CannotFollowError("a value is the text of a file (`fileParameters`)")
    for name in sequence(helm.get("valueFiles")):
        if not isinstance(name, str):
            raise CannotFollowError(NO_FILE)
        head, _, rest = name.partition("/")
        path = rest if head in references or name.startswith("/") else posixpath.join(folder, name)
        found = one.file(path)
        if found is not None:
            yield found
        elif helm.get("ignoreMissingValueFiles") is not True:
            raise CannotFollowError(NO_FILE)
    if helm.get("valuesObject"):
        yield one.part("mapping", *pointer, "valuesObject")
    elif helm.get("values"):
        if not is_mapping(helm["values"]):
            raise CannotFollowError("`values` holds no mapping")
        yield one.part("text", *pointer, "values")
    parameters = [mapping(entry) for entry in sequence(helm.get("parameters"))]
    if any("[" in str(entry.get("name")) or str(entry.get("value"))[:1] in ("{", "$") for entry in parameters):
        raise CannotFollowError("a parameter is an expression")
    if parameters:
        yield one.part("parameters", *pointer, "parameters")


class GitOps(Value):
    """What objects of GitOps controllers apply.

    Attributes:
        charts: the charts of this repository, each with what an object renders it with.
        filled: the folders of this repository that are built with variables.
        sent: by folder, or by chart with what tells it from another render of it, as they are printed: what the objects
            call the clusters that they apply it to.
        followed: the objects, each with the reason for which what it names is not judged; empty if all of it is.
        with_charts: those of them that name charts.
        with_variables: those of them whose folders are built with variables.
    """

    charts: tuple[ChosenChart, ...] = ()
    filled: tuple[Variables, ...] = ()
    sent: Mapping[str, tuple[tuple[str, ...], ...]] = EMPTY
    followed: Mapping[Followed, str] = EMPTY
    with_charts: frozenset[Followed] = frozenset()
    with_variables: frozenset[Followed] = frozenset()

    @property
    def by_folder(self) -> dict[str, list[Variables]]:
        """Return `filled` by the real path of the folder."""
        return grouped((one.folder, one) for one in self.filled)

    def judged(self, charts: str, folders: str) -> dict[Followed, str]:
        """Return `followed` as it is if charts or folders are not rendered; both are reasons, empty if they are."""
        why = {one: reason for one, reason in self.followed.items() if not charts or one not in self.with_charts}
        return {one: reason or (folders if one in self.with_variables else "") for one, reason in why.items()}


def objects_beside(root: Path, offered: Sequence[SourceFile]) -> list[SourceFile]:
    """The tracked files of a repository with objects of GitOps controllers, but for those that are offered.

    And those with ConfigMaps, if an object takes values from some.
    """
    heads = ["kind: Application", "kind: HelmRelease", "kind: GitRepository", "kustomize.toolkit.fluxcd.io"]
    found = _tracked(root, heads, offered)
    for key, kinds in (b"valuesFrom", ["kind: ConfigMap"]), (b"substituteFrom", ["kind: ConfigMap", "kind: Secret"]):
        if any(key in file.data for file in (*offered, *found)):
            found += _tracked(root, kinds, (*offered, *found))
    return found


def _tracked(root: Path, texts: list[str], known: Sequence[SourceFile]) -> list[SourceFile]:
    return manifests_of(tracked_with(texts, root), {os.path.realpath(file.path) for file in known})


def followed(files: Sequence[SourceFile], beside: Sequence[SourceFile] = ()) -> GitOps:
    """What the objects of GitOps controllers in some files apply from the repository that they lie in.

    Repositories and ConfigMaps that they name may be declared in files `beside` them.
    """
    charts: list[ChosenChart] = []
    filled: list[Variables] = []
    sent: dict[str, list[tuple[str, ...]]] = {}
    done: dict[Followed, str] = {}
    with_charts: set[Followed] = set()
    with_variables: set[Followed] = set()
    named = Named(dict(_repositories((*files, *beside))), (*files, *beside))
    for file in files:
        if not may_have_git_ops(file.data):
            continue
        real = Path(file.real or os.path.realpath(file.path))
        root = repository_root(real.parent)
        for document in read(file.path, file.data).documents:
            follow = _KINDS.get(_kind(document.value))
            if follow is None or not real.is_relative_to(root):
                continue
            one, key = GitObject(document, real.relative_to(root).as_posix(), root, named), (file.path, document.index)
            try:
                for chosen in follow(one):
                    if isinstance(chosen, Variables):
                        filled.append(chosen)
                        with_variables |= {key} if chosen.fills else set()
                        continue
                    sent.setdefault(chosen.shown, []).append(chosen.sent_to)
                    if is_file(Path(chosen.folder) / CHART):
                        charts.append(chosen)
                        with_charts.add(key)
                done[key] = ""
            except CannotFollowError as error:
                done[key] = str(error)
    called = {folder: tuple(names) for folder, names in sent.items()}
    renders = tuple(charts), tuple(filled)
    return GitOps(*renders, called, done, frozenset(with_charts), frozenset(with_variables))


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


def _helm_release(one: GitObject) -> Iterator[ChosenChart]:
    """A HelmRelease of Flux whose chart lies in this repository.

    Raises:
        CannotFollowError: it lies elsewhere, or its values do.
    """
    chart = mapping(mapping(one.spec.get("chart")).get("spec"))
    if not one.is_from_here(chart.get("sourceRef")):
        raise CannotFollowError(ELSEWHERE)
    if one.spec.get("postRenderers"):
        raise CannotFollowError("`postRenderers` change what the chart gives")
    folder = one.folder(chart.get("chart"))
    if not is_file(one.root / folder / CHART):
        raise CannotFollowError("its path holds no chart")
    values = []
    for name in sequence(chart.get("valuesFiles")):
        found = one.file(name.lstrip("/")) if isinstance(name, str) else None
        if found is None:
            raise CannotFollowError(NO_FILE)
        values.append(found)
    own = one.file(posixpath.join(folder, "values.yaml"))
    if values and own is not None and own not in values:
        # these files stand in place of the values of the chart
        raise CannotFollowError("`valuesFiles` stand in place of the values of the chart")
    values += [one.values_of(mapping(reference)) for reference in sequence(one.spec.get("valuesFrom"))]
    if isinstance(one.spec.get("values"), dict):
        values.append(one.part("mapping", "spec", "values"))
    namespace = one.namespace
    target = one.spec.get("targetNamespace")
    release = one.spec.get("releaseName") or (f"{target}-{one.name}" if target else one.name)
    yield one.chart(folder, release, target or namespace, values)


def _kustomization(one: GitObject) -> Iterator[ChosenChart | Variables]:
    """A Kustomization of Flux: a folder of this repository, which is judged as it lies there, or with variables.

    Raises:
        CannotFollowError: it lies elsewhere, or is changed on the way.
    """
    changes = ("patches", "components", "targetNamespace", "namePrefix", "nameSuffix")
    if not one.is_from_here(one.spec.get("sourceRef")):
        raise CannotFollowError(ELSEWHERE)
    changed = [key for key in changes if one.spec.get(key)]
    if changed:
        raise CannotFollowError(f"`{changed[0]}` changes what its folder holds")
    yield variables_of(one, one.folder(one.spec.get("path") or "."))


_KINDS = {
    ("argoproj.io", "Application"): application,
    ("argoproj.io", "ApplicationSet"): application_set,
    ("helm.toolkit.fluxcd.io", "HelmRelease"): _helm_release,
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): _kustomization,
}


def ways(charts: Sequence[ChosenChart], found: Sequence[ChosenChart]) -> tuple[ChosenChart, ...]:
    """How charts are rendered: as the configuration says, else as GitOps objects do it."""
    named = {one.folder for one in charts}
    return (*charts, *(one for one in found if one.folder not in named))
