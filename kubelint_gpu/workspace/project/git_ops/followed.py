"""Follows objects of Argo CD and Flux to the charts and folders that they apply from their own repository.

Sources: `GetReleaseName` and `valuesFiles` of the HelmRelease of Flux (v2), and `ChartValuesFromReferences` of its
controller.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.groups import grouped
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.frozen import EMPTY
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.checkout import is_file, may_be_address_of, repository_root
from kubelint_gpu.sources.files import SourceFile
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES
from kubelint_gpu.sources.kustomize.files.survey import read_once
from kubelint_gpu.sources.kustomize.variables import Variables
from kubelint_gpu.values import Value, replace
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart, may_have_git_ops
from kubelint_gpu.workspace.project.git_ops.added_layer import OF_ARGO, OF_FLUX, added_layer, lacks_namespaces
from kubelint_gpu.workspace.project.git_ops.argo_cd import applications, argo_values
from kubelint_gpu.workspace.project.git_ops.declared_objects import Named, rendered_objects, written_objects
from kubelint_gpu.workspace.project.git_ops.git_object import (
    ELSEWHERE,
    NO_FILE,
    CannotFollowError,
    GitObject,
    SingleValue,
    variables_of,
)
from kubelint_gpu.workspace.project.kustomizations import Renders

_MOST = 2_000
"""So many objects are followed."""

Followed = tuple[str, int]
"""An object that is followed: its file or render as it is printed, and which document of it."""
_Follow = Callable[[GitObject], Iterator[ChosenChart | Variables]]


def application(git_object: GitObject) -> Iterator[ChosenChart | Variables]:
    """Yield the charts of an Application of Argo CD, and its folders of this repository without a chart.

    Raises:
        CannotFollowError: a source is elsewhere, or is changed in a way that is not done here.
    """
    several = "sources" in git_object.spec
    entries = sequence(git_object.spec["sources"]) if several else [git_object.spec.get("source")]
    sources = [mapping(entry) for entry in entries]
    if not sources:
        raise CannotFollowError("it names no source")
    for source in sources:
        # a `chart` is one of a registry
        if source.get("chart") or not may_be_address_of(source.get("repoURL"), git_object.root):
            raise CannotFollowError(ELSEWHERE)
    references = {f"${source['ref']}" for source in sources if isinstance(source.get("ref"), str)}
    destination = mapping(git_object.spec.get("destination"))
    namespace = destination.get("namespace") or "default"
    sent_to = tuple(str(destination[key]) for key in ("name", "server") if destination.get(key))
    for number, source in enumerate(sources):
        if "ref" in source and "path" not in source:
            continue
        folder = git_object.folder(source.get("path"))
        fields = [f"directory.{key}" for key in mapping(source.get("directory")) if key != "recurse"]
        fields = sorted(fields) or ["plugin"] * bool(source.get("plugin"))
        if fields:
            raise CannotFollowError(f"`{fields[0]}` decides what is applied of {folder}, and is not followed")
        overrides = (".argocd-source.yaml", f".argocd-source-{git_object.name}.yaml")
        if "/" in git_object.name or any(is_file(git_object.root / folder / name) for name in overrides):
            raise CannotFollowError("a file `.argocd-source.yaml` can change what the source says")
        pointer: Pointer = ("spec", "sources", number) if several else ("spec", "source")
        if is_file(git_object.root / folder / CHART) and OF_ARGO.keys().isdisjoint(mapping(source.get("kustomize"))):
            helm = mapping(source.get("helm"))
            values = argo_values(git_object, helm, folder, references, (*pointer, "helm"))
            release = helm.get("releaseName") or git_object.name
            chart = git_object.chart(folder, release, helm.get("namespace") or namespace, values)
            yield replace(chart, sent_to=sent_to)
        else:
            yield from _folder(git_object, folder, sent_to, pointer)


def _folder(
    git_object: GitObject, folder: str, sent_to: tuple[str, ...], pointer: Pointer
) -> Iterator[ChosenChart | Variables]:
    """Yield a folder without a chart: as it is, or with the changes and the namespace of an Application of Argo CD.

    `pointer` is where the source stands. Argo CD gives the namespace to objects that name none.

    Raises:
        CannotFollowError: a change is not followed.
    """
    has_kustomization = any(is_file(git_object.root / folder / name) for name in NAMES)
    if not has_kustomization and not git_object.is_judged(folder):
        return
    built = variables_of(git_object, folder, pointer)
    layer, places = added_layer(git_object, folder, OF_ARGO, *pointer, "kustomize")
    if layer and not has_kustomization:
        raise CannotFollowError("the folder has no kustomization for the fields of `kustomize`")
    namespace = git_object.at("spec", "destination").get("namespace")
    namespace = namespace if isinstance(namespace, str) and namespace != "default" else ""
    deep = git_object.at(*pointer, "directory").get("recurse") is True
    if not has_kustomization and namespace and not lacks_namespaces(git_object, folder, deep=deep):
        namespace = ""
    built = replace(built, layer=layer, places=places, namespace=namespace, sent_to=sent_to, deep=deep)
    yield built
    if not built.fills:
        yield ChosenChart(git_object.shown(folder), sent_to=sent_to)


def application_set(git_object: GitObject) -> Iterator[ChosenChart | Variables]:
    """Yield the charts and folders of all Applications that an ApplicationSet of Argo CD creates.

    Raises:
        CannotFollowError: one of them cannot be followed, or it is not known which they are.
    """
    for made, path in applications(git_object.spec, git_object.root):
        for chosen in application(git_object.with_template({"kind": "Application", **made}, "spec", "template")):
            yield replace(chosen, read_from=path)


class GitOps(Value):
    """The charts and folders that GitOps objects apply.

    Attributes:
        charts: the charts of this repository, each with the values of the object of the run that renders it.
        filled: the folders of this repository that are built with variables.
        sent: the names of the target clusters, by folder, or by chart with the difference from its other renders, as
            printed.
        followed: the objects, each with the reason why its sources are not judged; empty if all are judged.
        with_charts: the objects that name charts.
        with_variables: the objects whose folders are built with variables.
        built: real paths of the folders of `filled` that objects of the run name, or that hold files of the run.
        others: as `charts`, for objects that are not in the run.
    """

    charts: tuple[ChosenChart, ...] = ()
    filled: tuple[Variables, ...] = ()
    sent: Mapping[str, tuple[tuple[str, ...], ...]] = EMPTY
    followed: Mapping[Followed, str] = EMPTY
    with_charts: frozenset[Followed] = frozenset()
    with_variables: frozenset[Followed] = frozenset()
    built: frozenset[str] = frozenset()
    others: tuple[ChosenChart, ...] = ()

    @property
    def by_folder(self) -> dict[str, list[Variables]]:
        """Return `filled` by the real path of the folder."""
        return grouped((variables.folder, variables) for variables in self.filled)

    def judged(self, charts: str, folders: str) -> dict[Followed, str]:
        """Return `followed` for reasons why charts or folders are not rendered; a reason is empty if they are."""
        parts = (charts, self.with_charts), (folders, self.with_variables)
        missing = {key: why.partition(";")[0] for why, keys in parts for key in keys if why}
        return {key: reason or missing.get(key, "") for key, reason in self.followed.items()}


def followed(
    files: Sequence[SourceFile],
    beside: Sequence[SourceFile] = (),
    judged: Iterable[SourceFile] | None = None,
    built: Renders | None = None,
    cwd: Path | None = None,
) -> GitOps:
    """Return the charts and folders that the GitOps objects in some files apply from their own repository.

    Objects in the renders of `built` count too, in place of those in the files that it takes. Repositories and
    ConfigMaps that the objects name might be declared in files `beside` them. With `judged`, folders without a
    kustomization count if one of these files lies in or below them. Printed paths of renders are relative to `cwd`.
    """
    charts: list[ChosenChart] = []
    filled: list[Variables] = []
    sent: dict[str, list[tuple[str, ...]]] = {}
    done: dict[Followed, str] = {}
    with_charts: set[Followed] = set()
    with_variables: set[Followed] = set()
    paths = None if judged is None else {Path(os.path.realpath(file.path)) for file in judged}
    near = None if paths is None else frozenset(str(above) for path in paths for above in path.parents)
    built = built or Renders()
    plain = tuple(file for file in (*files, *beside) if not built.takes(file.path))
    named = Named(dict(_repositories((*files, *beside))), plain, near, built.rendered, cwd or Path.cwd())
    left = [file for file in files if not built.takes(file.path)]
    for number, (key, git_object, follow) in enumerate(_objects(left, named)):
        try:
            for chosen in follow(git_object) if number < _MOST else _too_many():
                if isinstance(chosen, Variables):
                    filled.append(chosen)
                    with_variables |= {key} if chosen.fills else set()
                    continue
                if is_file(Path(chosen.folder) / CHART):
                    charts.append(chosen)
                    with_charts.add(key)
                else:
                    sent.setdefault(chosen.shown, []).append(chosen.sent_to)
            done[key] = ""
        except CannotFollowError as error:
            done[key] = str(error)
    called = {folder: tuple(names) for folder, names in sent.items()}
    distinct = tuple(dict.fromkeys(charts)), tuple(dict.fromkeys(filled))
    return GitOps(*distinct, called, done, frozenset(with_charts), frozenset(with_variables))


def _objects(files: Sequence[SourceFile], named: Named) -> Iterator[tuple[Followed, GitObject, _Follow]]:
    """Yield the GitOps objects in files and renders, each with its key, and who follows it."""
    roots = {one.path: repository_root(Path(one.real or os.path.realpath(one.path)).parent) for one in files}
    written = (one for file in files if may_have_git_ops(file.data) for one in written_objects(file, roots[file.path]))
    made = (one for each in named.renders for one in rendered_objects(each, {kind for _, kind in _KINDS}, named.cwd))
    roots |= {one.path: one.root for one in named.renders}
    for declared in chain(written, made):
        follow, document = _KINDS.get(_kind(declared.value)), declared.document
        if follow is not None:
            path = document.source.path
            yield (path, document.index), GitObject(declared, roots[path], named), follow


def _too_many() -> Iterator[ChosenChart | Variables]:
    raise CannotFollowError(f"more than {_MOST:,} objects are not followed")


def _repositories(files: Iterable[SourceFile]) -> Iterator[tuple[str, Any]]:
    """Yield the name and address of each GitRepository of Flux."""
    for file in files:
        for document in read_once(file.path, file.data).documents if b"GitRepository" in file.data else ():
            if _kind(document.value) == ("source.toolkit.fluxcd.io", "GitRepository"):
                name = mapping(document.value.get("metadata")).get("name")
                if isinstance(name, str):
                    yield name, mapping(document.value.get("spec")).get("url")


def _kind(value: Any) -> tuple[str, str]:
    if not isinstance(value, dict) or not isinstance(value.get("kind"), str):
        return "", ""
    return api_group(value), value["kind"]


def _helm_release(git_object: GitObject) -> Iterator[ChosenChart]:
    """Yield the chart of a HelmRelease of Flux if it lies in this repository.

    Raises:
        CannotFollowError: it lies elsewhere, or its values do.
    """
    chart = mapping(mapping(git_object.spec.get("chart")).get("spec"))
    if not git_object.is_from_here(chart.get("sourceRef")):
        raise CannotFollowError(ELSEWHERE)
    if git_object.spec.get("postRenderers"):
        raise CannotFollowError("`postRenderers` change what the chart gives")
    folder = git_object.folder(chart.get("chart"))
    if not is_file(git_object.root / folder / CHART):
        raise CannotFollowError("the path holds no chart")
    values = []
    for name in sequence(chart.get("valuesFiles")):
        values_file = git_object.file(name.lstrip("/")) if isinstance(name, str) else None
        if values_file is None:
            raise CannotFollowError(NO_FILE)
        values.append(values_file)
    own = git_object.file(posixpath.join(folder, "values.yaml"))
    if values and own is not None and own not in values:
        # these files replace the values of the chart
        raise CannotFollowError("`valuesFiles` stand in place of the values of the chart")
    every: list[GivenValues | SingleValue] = []
    for reference in sequence(git_object.spec.get("valuesFrom")):
        every += git_object.values_of(mapping(reference), alone=_has_single(every))
    if isinstance(git_object.spec.get("values"), dict):
        every += git_object.values_at("mapping", ("spec", "values"), alone=_has_single(every))
    namespace = git_object.namespace
    target = git_object.spec.get("targetNamespace")
    release = git_object.spec.get("releaseName") or (f"{target}-{git_object.name}" if target else git_object.name)
    yield git_object.chart(folder, release, target or namespace, (*values, *every))


def _has_single(values: Iterable[GivenValues | SingleValue]) -> bool:
    """Whether single values are among some, which are stronger than any file: what follows is given like that, too."""
    return any(isinstance(one, tuple) for one in values)


def _kustomization(git_object: GitObject) -> Iterator[ChosenChart | Variables]:
    """Yield the folder of a Kustomization of Flux in this repository: as it is, or with variables.

    Raises:
        CannotFollowError: it lies elsewhere, or is changed on the way.
    """
    if not git_object.is_from_here(git_object.spec.get("sourceRef")):
        raise CannotFollowError(ELSEWHERE)
    changed = [key for key in ("patchesJson6902", "patchesStrategicMerge") if git_object.spec.get(key)]
    if changed:
        raise CannotFollowError(f"`{changed[0]}` changes what the folder holds")
    folder = git_object.folder(git_object.spec.get("path") or ".")
    layer, places = added_layer(git_object, folder, OF_FLUX, "spec")
    yield replace(variables_of(git_object, folder), layer=layer, places=places)


_KINDS = {
    ("argoproj.io", "Application"): application,
    ("argoproj.io", "ApplicationSet"): application_set,
    ("helm.toolkit.fluxcd.io", "HelmRelease"): _helm_release,
    ("kustomize.toolkit.fluxcd.io", "Kustomization"): _kustomization,
}
