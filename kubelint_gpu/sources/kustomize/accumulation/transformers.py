"""Fields of a kustomization that change all objects: namespace, names, labels, annotations, replicas and images."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kubelint_gpu.sources.kustomize.accumulation.layer import Layer
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.traced import FieldWriter, Traced

_TEMPLATED = frozenset(
    ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "ReplicationController", "Job", "CronJob")
)
_SCALED = frozenset(("Deployment", "StatefulSet", "ReplicaSet", "ReplicationController"))
_SELECTING = frozenset(("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "PodDisruptionBudget", "NetworkPolicy"))
_NOT_RENAMED = frozenset(("CustomResourceDefinition", "APIService", "Namespace"))


def set_namespaces(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `namespace`."""
    wanted = layer.kustomization.value.get("namespace")
    if not isinstance(wanted, str) or not wanted:
        return
    writer = layer.entry(("namespace",), "namespace")
    for one in objects:
        meta = one.traced.at("metadata")
        if meta is not None:
            meta.put("namespace", wanted, writer)
        one.remember()


def set_names(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `namePrefix`, then `nameSuffix`; the writer of the original name stays its last writer."""
    for key in ("namePrefix", "nameSuffix"):
        added = layer.kustomization.value.get(key)
        if not isinstance(added, str) or not added:
            continue
        writer = layer.entry((key,), key)
        for one in objects:
            found = one.traced.at("metadata", "name")
            if found is None or one.kind.kind in _NOT_RENAMED:
                continue
            found.become(f"{added}{one.name}" if key == "namePrefix" else f"{one.name}{added}", writer)
            one.remember()


def set_labels(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `labels` and `commonLabels`."""
    for index, entry in enumerate(layer.kustomization.entries("labels")):
        pairs = entry.get("pairs") if isinstance(entry, dict) else None
        for key, value in (pairs if isinstance(pairs, dict) else {}).items():
            writer = layer.entry(("labels", index, "pairs", key), "labels")
            for one in objects:
                selectors = entry.get("includeSelectors") is True
                _label(one, key, value, writer, selectors, selectors or entry.get("includeTemplates") is True)
    common = layer.kustomization.value.get("commonLabels")
    for key, value in (common if isinstance(common, dict) else {}).items():
        writer = layer.entry(("commonLabels", key), "commonLabels")
        for one in objects:
            _label(one, key, value, writer, selectors=True, templates=True)


def set_annotations(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `commonAnnotations`."""
    common = layer.kustomization.value.get("commonAnnotations")
    for key, value in (common if isinstance(common, dict) else {}).items():
        writer = layer.entry(("commonAnnotations", key), "commonAnnotations")
        for one in objects:
            _put(one.traced, ("metadata", "annotations"), key, value, writer)
            for template in _templates(one):
                _put(template, ("metadata", "annotations"), key, value, writer)


def set_replicas(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `replicas`."""
    wanted: dict[str, list[tuple[Any, FieldWriter]]] = {}
    for index, entry in enumerate(layer.kustomization.entries("replicas")):
        if isinstance(entry, dict) and isinstance(entry.get("name"), str):
            writer = layer.entry(("replicas", index, "count"), "replicas")
            wanted.setdefault(entry["name"], []).append((entry.get("count"), writer))
    for one in objects if wanted else ():
        if one.kind.kind in _SCALED:
            for name in dict.fromkeys(name for name, _ in one.names):
                for count, writer in wanted.get(name, ()):
                    _put(one.traced, ("spec",), "replicas", count, writer)


def set_images(layer: Layer, objects: list[Traceable]) -> None:
    """Apply `images`."""
    for index, entry in enumerate(layer.kustomization.entries("images")):
        if not isinstance(entry, dict):
            continue
        for one in objects:
            for found in _images(one.traced):
                _image(layer, found, entry, index)


def _image(layer: Layer, found: Traced, entry: dict[str, Any], index: int) -> None:
    text = found.value
    if not isinstance(text, str):
        return
    name, separator, rest = text.partition("@")
    tag = f"@{rest}" if separator else ""
    if not separator and ":" in name.rpartition("/")[2]:
        name, _, rest = name.rpartition(":")
        tag = f":{rest}"
    if name != entry.get("name"):
        return
    for key, before in (("newName", ""), ("newTag", ":"), ("digest", "@")):
        value = entry.get(key)
        if value is None:
            continue
        writer = layer.entry(("images", index, key), "images")
        name, tag = (str(value), tag) if key == "newName" else (name, f"{before}{value}")
        found.assign(name + tag, writer)


def _images(traced: Traced) -> Iterator[Traced]:
    for template in (traced, *_below(traced, 6)):
        for key in ("containers", "initContainers"):
            containers = template.at(key)
            for container in (containers.elements() if containers is not None else None) or ():
                image = container.at("image")
                if image is not None:
                    yield image


def _below(traced: Traced, depth: int) -> Iterator[Traced]:
    for key in ("spec", "template", "jobTemplate"):
        found = traced.at(key)
        if found is not None and depth:
            yield found
            yield from _below(found, depth - 1)


def _label(one: Traceable, key: str, value: Any, writer: FieldWriter, selectors: bool, templates: bool) -> None:
    _put(one.traced, ("metadata", "labels"), key, value, writer)
    kind = one.kind.kind
    for template in _templates(one) if templates else ():
        _put(template, ("metadata", "labels"), key, value, writer)
    if not selectors:
        return
    if kind in ("Service", "ReplicationController"):
        _put(one.traced, ("spec", "selector"), key, value, writer)
    elif kind in _SELECTING:
        home = ("spec", "podSelector") if kind == "NetworkPolicy" else ("spec", "selector")
        _put(one.traced, (*home, "matchLabels"), key, value, writer)
    for template in _templates(one):
        for selector in _selectors(template):
            if selector.at("matchLabels") is not None:
                _put(selector, ("matchLabels",), key, value, writer)


def _selectors(template: Traced) -> Iterator[Traced]:
    spec = template.at("spec")
    if spec is None:
        return
    terms = [spec.at("topologySpreadConstraints")]
    for kind in ("podAffinity", "podAntiAffinity"):
        terms.append(spec.at("affinity", kind, "requiredDuringSchedulingIgnoredDuringExecution"))
        preferred = spec.at("affinity", kind, "preferredDuringSchedulingIgnoredDuringExecution")
        for term in (preferred.elements() if preferred is not None else None) or ():
            found = term.at("podAffinityTerm", "labelSelector")
            if found is not None:
                yield found
    for one in terms:
        for term in (one.elements() if one is not None else None) or ():
            found = term.at("labelSelector")
            if found is not None:
                yield found


def _templates(one: Traceable) -> Iterator[Traced]:
    if one.kind.kind not in _TEMPLATED:
        return
    found = one.traced.at("spec", "template")
    if one.kind.kind == "CronJob":
        job = one.traced.at("spec", "jobTemplate")
        if job is not None:
            yield job
        found = one.traced.at("spec", "jobTemplate", "spec", "template")
    if found is not None:
        yield found


def _put(traced: Traced, home: tuple[str, ...], key: str, value: Any, writer: FieldWriter) -> None:
    found = traced.made(writer, *home)
    if found is not None:
        found.put(key, value, writer)
