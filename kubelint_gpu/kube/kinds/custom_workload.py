"""Pod templates inside custom resources, at the places in `custom_workloads.json`.

Each row of the table is a kind with its API groups, whether its pods end by themselves, how a change replaces them in
words, and its templates: a path (`[]` every entry of a list, `.*` every value of a mapping), whether a pod template or
a bare pod spec is there, or containers in another form (`inline`, see `by_shape.composed`; `postgres`, see
`postgres_cluster`), and the fields whose product is the number of pods; `groups` of which each has one pod less if
there is a `first` template.
`either` is a pod spec if it has containers, else a template.
`more` says that the pod template is no plain one: it has additional fields, and lacks some that a pod needs.
`update` says how a change replaces them: as `custom_strategy` reads it, or a controller of that name. `strategy` is the
field of a template that may hold the strategy of its operator's Deployment, `plain` as a word. `exact` kinds do the
same in every version, if the field `autoscaled` is not true; those with `suspend` true have no pods.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from kubelint_gpu.kube.kinds import by_shape, custom_strategy, postgres_cluster
from kubelint_gpu.kube.objects.meta import Meta, read_meta
from kubelint_gpu.kube.objects.pod import read_pod_spec
from kubelint_gpu.kube.objects.workload import Workload, api_group, is_base, is_workload
from kubelint_gpu.kube.values.errors import InvalidObject, Pointer
from kubelint_gpu.kube.values.fields import Fields
from kubelint_gpu.kube.values.frozen import FrozenMap
from kubelint_gpu.kube.values.plain import at
from kubelint_gpu.kube.values.selectors import read_label_selector
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import replace

_TABLE = "custom_workloads.json"
_DIGITS = 10
_NAMES = ("name", "groupName")
_SUFFIX = pattern(r"(Pod)?(Group)?(Spec|Template)$|^template$", re.ASCII)
_ROLE = pattern(r"[A-Za-z0-9][-A-Za-z0-9]{0,62}", re.ASCII)
_SHAPE = {"more": True, "containers": ("",), "inherits": True, "lenient": True}
"""How a pod template of a kind that the table does not have is read: nothing is taken to be so that is not written."""
# kinds whose pods are placed by what another object says
PLACED_ELSEWHERE = ("TrainJob", "VLLMRuntime")
# kinds whose pods cannot be given a class: their fields have no place for it
WITHOUT_PRIORITY_CLASS = (
    "NIMCache", "NIMService", "ScheduledSparkApplication", "SparkApplication", "TrainJob", "VLLMRuntime",
)  # fmt: skip


@lru_cache(maxsize=1)
def rows() -> dict[tuple[str, str], dict[str, Any]]:
    """The rows of the table, by group and kind."""
    table = json.loads((Path(__file__).parent / _TABLE).read_text(encoding="utf-8"))
    return {(group, row["kind"]): row for row in table for group in row["groups"]}


_further: dict[tuple[str, str], dict[str, Any]] = {}


def further_rows() -> tuple[dict[str, Any], ...]:
    """The rows that a configuration declares in addition to the table."""
    return tuple(_further.values())


def declare_rows(declared: Sequence[dict[str, Any]]) -> None:
    """Use these rows in addition to the table, instead of earlier ones; they have precedence."""
    _further.clear()
    _further.update({(group, row["kind"]): row for row in declared for group in row["groups"]})


def row_of(value: dict[str, Any]) -> dict[str, Any] | None:
    """The row of the table for an object; None for other kinds."""
    group, kind = api_group(value), value.get("kind")
    if "." not in group or not isinstance(kind, str) or is_workload(value):
        return None
    return _further.get((group, kind)) or rows().get((group, kind))


def custom_workloads(value: dict[str, Any]) -> Iterator[tuple[Workload, tuple[InvalidObject, ...]]]:
    """Yield the workloads of a custom resource, one for each pod template, with its problems.

    Only those of a Rollout have a selector.
    """
    found = list(_of_templates(value) if row_of(value) is not None else _of_shape(value))
    roles = Counter(role for _, role, _ in found)
    for workload, role, problems in found:
        alone = len(found) == 1 or roles[role] > 1 or not role
        yield workload if alone else replace(workload, named=role), problems


def _of_templates(value: dict[str, Any]) -> Iterator[tuple[Workload, str, tuple[InvalidObject, ...]]]:
    """Yield the workload of each template, with the role of its pods."""
    row, part = row_of(value), 0
    for template in row["templates"] if row is not None else ():
        for pointer, captured in _found(value, template["path"]):
            problems: list[InvalidObject] = []
            pods = _product(value, template["pods"], captured)
            if template.get("first") and pods:
                # the first of each group has a template of its own
                less = _product(value, template["groups"], captured) if any(_found(value, template["first"])) else 0
                pods = max(pods - less, template.get("least", 0))
            found = _workload(value, pointer, template, pods, problems)
            if found is not None:
                part += not found.partial
                found = _replaced(found, row or {}, template, Fields(value, (), problems))
                yield replace(found, part=part), _role(value, pointer), tuple(problems)


def _of_shape(value: dict[str, Any]) -> Iterator[tuple[Workload, str, tuple[InvalidObject, ...]]]:
    """Yield a workload for each pod template of a kind that is not in the table."""
    if not by_shape.is_of_unknown_kind(value) or is_base(value):
        return
    for part, (pointer, form) in enumerate(by_shape.templates(value), 1):
        problems: list[InvalidObject] = []
        found = _workload(value, pointer, {"form": form, **_SHAPE}, 0, problems)
        if found is not None:
            yield replace(found, part=part, approximate=True, by_shape=True), _role(value, pointer), tuple(problems)


def _role(value: dict[str, Any], pointer: Pointer) -> str:
    """The name for a template's pods from the fields above it, without common parts; empty if there is none."""
    for end in range(len(pointer), 0, -1):
        step = pointer[end - 1]
        if isinstance(step, int):
            entry = at(value, pointer[:end])
            names = (entry.get(key) for key in _NAMES) if isinstance(entry, dict) else ()
            return next((f'"{name}"' for name in names if isinstance(name, str) and _ROLE().fullmatch(name)), "")
        role = _SUFFIX().sub("", step)
        if role not in ("", "spec") and _ROLE().fullmatch(role):
            return role[:1].lower() + role[1:]
    return ""


def _replaced(found: Workload, row: dict[str, Any], template: dict[str, Any], root: Fields) -> Workload:
    """The workload with the strategy of its controller."""

    def is_true(key: str) -> bool:
        return key in row and at(root.value, row[key].split(".")) is True

    selector = read_label_selector(root.down("spec").child("selector")) if row.get("update") == "argo" else None
    apart = custom_strategy.revisions_apart(root.value, selector)
    return replace(
        found,
        replicas=0 if is_true("suspend") else found.replicas,
        selector=selector,
        spec=replace(found.spec, pod_anti_affinity=(*found.spec.pod_anti_affinity, *apart)) if apart else found.spec,
        strategy=custom_strategy.custom_strategy(row, template, root, found.replicas),
        approximate="exact" not in row or is_true("autoscaled"),
    )


def _workload(
    value: dict[str, Any], pointer: Pointer, row: dict[str, Any], pods: int, problems: list[InvalidObject]
) -> Workload | None:
    root = Fields(value, (), problems)
    here = Fields(at(value, pointer), pointer, problems)
    whole = row["form"] == "template" or (row["form"] == "either" and "containers" not in here.value)
    asks: tuple[Pointer, ...] = ()
    spec = here.down("spec") if whole else here
    if row["form"] == "inline":
        if row.get("unless") in here.value:
            return None
        composite, asks = by_shape.composed(here.value, _above(value, pointer), row, pointer)
        if not asks:
            return None
        pointer = (*pointer, row["scheduling"]) if row.get("scheduling") else pointer
        spec = Fields(composite, pointer, problems)
    template = read_meta(here.down("metadata")) if whole else Meta()
    if row["form"] == "postgres":
        name = read_meta(root.down("metadata")).name
        template = Meta(labels=FrozenMap(postgres_cluster.pod_labels(name)))
        spec = Fields(postgres_cluster.pod_spec(name, here.value), pointer, problems)
        asks = ((*pointer, "resources") if "resources" in here.value else pointer,)
    containers = spec.value.get("containers")
    known = isinstance(containers, list) and bool(containers)
    return Workload(
        kind=str(value["kind"]),
        meta=read_meta(root.down("metadata")),
        replicas=pods,
        template=template,
        spec=read_pod_spec(spec),
        template_pointer=pointer if whole else pointer[:-1],
        partial=not known
        or is_base(value)
        or (not row.get("more") and any(isinstance(one, dict) and not one.get("image") for one in containers or ())),
        spec_key="spec" if whole else pointer[-1],
        custom=True,
        extended=bool(row.get("more")),
        asks=asks,
    )


def _found(value: Any, path: str) -> Iterator[tuple[Pointer, tuple[str | int, ...]]]:
    """Yield every mapping at a path, with the values of its wildcards."""
    places: list[tuple[Pointer, tuple[str | int, ...], Any]] = [((), (), value)]
    for part in path.split("."):
        name, every = part.removesuffix("[]"), part.endswith("[]")
        deeper: list[tuple[Pointer, tuple[str | int, ...], Any]] = []
        for pointer, captured, here in places:
            if not isinstance(here, dict):
                continue
            for key in here if name == "*" else (name,):
                child = here.get(key)
                mine = (*captured, key) if name == "*" else captured
                if every:
                    entries = enumerate(child) if isinstance(child, list) else ()
                    deeper += [((*pointer, key, index), (*mine, index), entry) for index, entry in entries]
                elif child is not None:
                    deeper.append(((*pointer, key), mine, child))
        places = deeper
    return ((pointer, captured) for pointer, captured, here in places if isinstance(here, dict))


def _product(value: Any, paths: list[str], captured: tuple[str | int, ...]) -> int:
    """The product of some counts, 1 for each that is not written; wildcards have their captured values.

    Of an annotation with several names, separated by `|`, the first existing one counts.
    """
    total = 1
    for path in paths:
        wild = iter(captured)
        here = value
        fields, _, annotation = path.partition(".annotations.")
        for part in (*fields.split("."), *(("annotations",) if annotation else ())):
            here = (
                here.get(str(next(wild, "")) if part == "*" else part.removesuffix("[]"))
                if isinstance(here, dict)
                else None
            )
            if part.endswith("[]"):
                index = next(wild, None)
                here = here[index] if isinstance(here, list) and isinstance(index, int) and index < len(here) else None
        if annotation:
            names = annotation.split("|") if isinstance(here, dict) else ()
            here = next((here[name] for name in names if name in here), None)
        if annotation and isinstance(here, str) and here.isdecimal() and len(here) < _DIGITS:
            here = int(here)
        if isinstance(here, int) and not isinstance(here, bool) and here >= 0:
            total *= here
    return total


def _above(value: dict[str, Any], pointer: Pointer) -> dict[str, Any]:
    """The fields of all mappings above a place; of equal names the nearest."""
    found: dict[str, Any] = {}
    for end in range(len(pointer)):
        here = at(value, pointer[:end])
        found.update(here if isinstance(here, dict) else {})
    return found
