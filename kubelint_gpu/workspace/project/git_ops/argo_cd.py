"""What objects of Argo CD apply from their own repository.

Source: `helmTemplate` and `mergeSourceParameters` of the repo server of Argo CD (2.x).
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Any

from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.values.plain import mapping, sequence
from kubelint_gpu.sources.checkout import is_file, may_be_address_of
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.values import replace
from kubelint_gpu.workspace.project.charts import CHART, ChosenChart
from kubelint_gpu.workspace.project.git_ops.application_sets import applications
from kubelint_gpu.workspace.project.git_ops.git_object import (
    ELSEWHERE,
    NO_FILE,
    CannotFollowError,
    GitObject,
    is_mapping,
)

_CHANGE_NO_POD = frozenset(("images", "version", "recurse"))
"""Fields of `kustomize` and `directory` that change nothing of where pods go: all below a folder is judged anyway."""


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
