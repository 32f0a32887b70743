"""Workloads: the objects that create pods."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from kubelint_gpu.kube.objects.meta import Meta, named, read_meta
from kubelint_gpu.kube.objects.pod import Pod, PodSpec, read_pod_spec
from kubelint_gpu.kube.objects.rolling import (
    JobStrategy,
    Strategy,
    read_daemon_set_strategy,
    read_deployment_strategy,
    read_job_strategy,
    read_stateful_set_strategy,
)
from kubelint_gpu.kube.objects.storage import PersistentVolumeClaim, read_persistent_volume_claim
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer, is_patched_later
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.selectors import LabelSelector, Requirement, read_label_selector
from kubelint_gpu.values import Value, replace

_KEPT = 20
_TEMPLATE: Pointer = ("spec", "template")
_CRON_TEMPLATE: Pointer = ("spec", "jobTemplate", "spec", "template")


class Workload(Value, dict=True):
    """An object that creates pods, with its defaults applied.

    Attributes:
        kind: the Kubernetes kind.
        meta: name, namespace, labels of the object itself.
        replicas: the desired pods; for a Job the parallel ones; 1 for a Pod; 0 for a DaemonSet, which counts nodes.
        template: the metadata of its pods.
        spec: the spec of its pods.
        template_pointer: the pointer of the pod template; `()` for a Pod.
        selector: the selector of its own pods; None if it has none.
        strategy: how it replaces pods; None if it never does.
        partial: it is a patch: it lacks what the API server requires and is never judged alone.
        spec_key: the key of the pod's spec under `template_pointer`.
        custom: it comes from a custom resource.
        part: which of the templates of a custom resource it is, counted from 1.
        named: the role of its pods in that resource; empty if it has no other templates, or two have one name.
        approximate: how many pods a custom resource has, or how they are replaced, depends on an autoscaler or on the
            version of its operator: nothing is certain about its rollouts.
        extended: its pod template has additional fields, and may lack required ones, so that the API server's rules for
            pods do not apply to it.
        by_shape: its kind is unknown, and its pod template was found by its shape: the number of pods is unknown, and
            so is how they are replaced.
        asks: the pointers of the pods' requests in a custom resource, if these are not in a list of containers.
        written: the spec before admission, if `spec` is the one after admission; None if they are the same.
        claims: the `volumeClaimTemplates` of a StatefulSet; the name of each is that of its template.
    """

    kind: str
    meta: Meta
    replicas: int
    template: Meta
    spec: PodSpec
    template_pointer: Pointer
    selector: LabelSelector | None = None
    strategy: Strategy | None = None
    partial: bool = False
    spec_key: str | int = "spec"
    custom: bool = False
    part: int = 1
    named: str = ""
    approximate: bool = False
    extended: bool = False
    by_shape: bool = False
    asks: tuple[Pointer, ...] = ()
    written: PodSpec | None = None
    claims: tuple[PersistentVolumeClaim, ...] = ()

    @cached_property
    def key(self) -> str:
        """`kind/namespace/name`, and the role of its pods if a custom resource has several templates."""
        return f"{self.object}{f' ({self.role})' if self.part > 1 or self.named else ''}"

    @property
    def role(self) -> str:
        """The name of this template's pods in a custom resource: `worker`, or the quoted name of an entry."""
        return self.named or f"template {self.part}"

    @cached_property
    def object(self) -> str:
        """`kind/namespace/name`, which all templates of a custom resource share."""
        return f"{self.kind}/{self.meta.namespace}/{self.meta.name}"

    @property
    def name_kept(self) -> str:
        """The part of its name that the controller of a custom resource keeps in the names of its objects."""
        return self.meta.name[:_KEPT]

    @property
    def choosing(self) -> PodSpec:
        """The spec by which the DaemonSet controller chooses nodes: its template's, which no admission plugin changes.

        RuntimeClass, ExtendedResourceToleration and webhooks change the created pods (1.34).
        """
        return self.spec if self.written is None else self.written

    @property
    def spec_pointer(self) -> Pointer:
        """The pointer of the pod's spec in the object."""
        return (*self.template_pointer, self.spec_key)

    @property
    def is_template(self) -> bool:
        """Whether its pods have a template with metadata and spec, and not a bare spec inside another kind."""
        return self.spec_key == "spec" and not self.asks

    def takes_over(self, other: Workload) -> bool:
        """Whether it is a Deployment that adopts this ReplicaSet without an owner."""
        if (self.kind, other.kind, self.meta.namespace) != ("Deployment", "ReplicaSet", other.meta.namespace):
            return False
        return other.meta.owner is None and self.selector is not None and self.selector.matches(other.meta.labels)

    def pod(self, name: str, revision: str = "") -> Pod:
        """A pod as its controller would create it.

        `revision` is the value of the label that distinguishes old pods from new ones (`pod-template-hash`), empty for
        none.
        """
        labels = self.template.labels
        if revision:
            labels = FrozenMap({**labels, "pod-template-hash": revision})
        meta = Meta(name, self.meta.namespace, name, labels, self.template.annotations)
        return Pod(meta=meta, spec=self.spec)


def _replica_set(spec: Fields) -> tuple[int, Strategy | None]:
    return spec.integer("replicas", 1, 0), None


def _cron_job(spec: Fields) -> tuple[int, Strategy | None]:
    policy = spec.choice("concurrencyPolicy", ("Allow", "Forbid", "Replace"), "Allow")
    strategy = read_job_strategy(spec.down("jobTemplate", "spec"), policy)
    # the schedule's own suspend starts no further run; that of its Jobs starts runs without pods
    return _running(replace(strategy, suspend=spec.boolean("suspend") or strategy.suspend))


def _running(strategy: JobStrategy) -> tuple[int, Strategy | None]:
    if strategy.suspend:
        return 0, strategy
    if strategy.completions is None:
        return strategy.parallelism, strategy
    return min(strategy.parallelism, strategy.completions), strategy


_Reader = Callable[[Fields], tuple[int, Strategy | None]]
_APPS = ("apps", "extensions")
_READERS: dict[str, tuple[tuple[str, ...], _Reader, Pointer]] = {
    "CronJob": (("batch",), _cron_job, _CRON_TEMPLATE),
    "DaemonSet": (_APPS, lambda spec: (0, read_daemon_set_strategy(spec)), _TEMPLATE),
    "Deployment": (_APPS, lambda spec: (spec.integer("replicas", 1, 0), read_deployment_strategy(spec)), _TEMPLATE),
    "Job": (("batch",), lambda spec: _running(read_job_strategy(spec)), _TEMPLATE),
    "Pod": (("",), lambda _: (1, None), ()),
    "ReplicaSet": (_APPS, _replica_set, _TEMPLATE),
    "ReplicationController": (("",), _replica_set, _TEMPLATE),
    "StatefulSet": (_APPS, lambda spec: (spec.integer("replicas", 1, 0), read_stateful_set_strategy(spec)), _TEMPLATE),
}
_DIRECTIVES = ("$patch", "$retainKeys", "$setElementOrder/", "$deleteFromPrimitiveList/")
_NEEDS_SELECTOR = ("DaemonSet", "Deployment", "ReplicaSet", "StatefulSet")


def api_group(value: Any) -> str:
    """The group of an object's apiVersion; empty for the core group."""
    version = value.get("apiVersion") if isinstance(value, dict) else None
    return version.rpartition("/")[0] if isinstance(version, str) else ""


def workload_kinds() -> dict[str, str]:
    """The kinds that `read_workload` reads, each with its API group."""
    return {kind: groups[0] for kind, (groups, _, _) in _READERS.items()}


def is_workload(value: Any) -> bool:
    """Whether an object is of a kind that `read_workload` reads; kinds of other API groups are not."""
    if not isinstance(value, dict):
        return False
    known = _READERS.get(value["kind"]) if isinstance(value.get("kind"), str) else None
    return known is not None and (api_group(value) in known[0] or "apiVersion" not in value)


def read_workload(value: Any, problems: list[InvalidObject] | None = None) -> Workload | None:
    """The workload, or None if the object is of another kind.

    Raises:
        InvalidObject: a field has a value the API server would refuse (only without a list for `problems`).
    """
    if not is_workload(value):
        return None
    kind = value["kind"]
    _, reader, pointer = _READERS[kind]
    fields = Fields(value, (), problems)
    try:
        spec = fields.down("spec")
        template = fields.down(*(str(part) for part in pointer))
        replicas, strategy = reader(spec)
        return Workload(
            kind=kind,
            meta=read_meta(fields.down("metadata")),
            replicas=replicas,
            template=read_meta(template.down("metadata")),
            spec=read_pod_spec(template.down("spec")),
            template_pointer=pointer,
            selector=_selector(kind, spec),
            strategy=strategy,
            partial=_is_partial(kind, value, spec, template),
            claims=tuple(_claims(spec)) if kind == "StatefulSet" else (),
        )
    except InvalidObject as error:
        raise named(error, value) from None


def _claims(spec: Fields) -> Iterator[PersistentVolumeClaim]:
    """Yield the claims that each pod gets; errors in them are reported by the validation of their fields."""
    templates = spec.value.get("volumeClaimTemplates")
    for template in templates if isinstance(templates, list) else ():
        try:
            yield read_persistent_volume_claim(template)
        except InvalidObject:
            continue


def _selector(kind: str, spec: Fields) -> LabelSelector | None:
    if kind == "ReplicationController":
        labels = spec.labels("selector")
        return LabelSelector(tuple(Requirement(key, "In", (value,)) for key, value in sorted(labels.items())))
    if kind in _NEEDS_SELECTOR:
        return read_label_selector(spec.child("selector"))
    return None


def is_base(value: dict[str, Any]) -> bool:
    """Whether the name or namespace of an object shows that an overlay completes it."""
    meta = value.get("metadata")
    return isinstance(meta, dict) and any(is_patched_later(meta.get(key)) for key in ("name", "namespace"))


def _has_directive(value: dict[str, Any]) -> bool:
    """Whether it contains a directive of a strategic merge patch, for example `$patch: delete`."""
    todo: list[Any] = [value]
    for one in todo:
        if isinstance(one, dict) and [key for key in one if key[:1] == "$" and key.startswith(_DIRECTIVES)]:
            return True
        within = one.values() if isinstance(one, dict) else one
        todo += [child for child in within if isinstance(child, (dict, list))]
    return False


def _is_partial(kind: str, value: dict[str, Any], spec: Fields, template: Fields) -> bool:
    """Whether it is a patch: it lacks apiVersion, selector, containers, or an image, or has a merge directive."""
    if _has_directive(spec.value):
        return True
    if "apiVersion" not in value or (kind in _NEEDS_SELECTOR and "selector" not in spec) or is_base(value):
        return True
    containers = template.down("spec").value.get("containers")
    if not isinstance(containers, list) or not containers:
        return True
    return any(isinstance(container, dict) and not container.get("image") for container in containers)
