"""The resources and labels that a node with given GPUs advertises.

Behaviour: NVIDIA device plugin and GPU feature discovery, configuration `version: v1`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from msgspec import field

from kubelint_gpu.documents import Pointer
from kubelint_gpu.inventory.gpus.gpu_models import (
    GpuModel,
    impossible,
    mebibytes,
    mig_resource,
    models_called,
    product_label,
    similar_model,
)
from kubelint_gpu.values import Value, replace

GPU = "nvidia.com/gpu"
_SHARED = ".shared"


class Advertised(Value):
    """The resources and labels that follow from `gpus`.

    `origins` leads from a resource or label to the field, below the node, that decides it.
    `one_per_container` are shared resources of which a container may request only one.
    `remarks` are warnings: pointer below the node, sentence, hint.
    `may_be` are other possible values of labels if the spelling of a model is ambiguous.
    """

    resources: dict[str, int] = field(default_factory=dict)
    labels: dict[str, str] = field(default_factory=dict)
    origins: dict[str, Pointer] = field(default_factory=dict)
    arch: str | None = None
    one_per_container: tuple[str, ...] = ()
    remarks: tuple[tuple[Pointer, str, str], ...] = ()
    may_be: dict[str, tuple[str, ...]] = field(default_factory=dict)


class _Sharing(Value):
    # How many tickets there are for one device, and under which name.
    strategy: str = "none"
    replicas: int = 1
    renamed: bool = False
    one_per_container: bool = False

    def resource(self, name: str) -> str:
        return name + _SHARED if self.renamed else name

    def product(self, name: str) -> str:
        return name + "-SHARED" if self.replicas > 1 and not self.renamed else name


def advertised(gpus: dict[str, Any] | list[dict[str, Any]]) -> Advertised:
    """Return what a node advertises for its `gpus`, one entry or several."""
    if isinstance(gpus, dict):
        return _entry(gpus, ("gpus",))
    return _together([_entry(entry, ("gpus", index)) for index, entry in enumerate(gpus)])


def _together(parts: Iterable[Advertised]) -> Advertised:
    # One model wins the labels of a node that has several; here it is the first.
    result = Advertised()
    product, arch = "", None
    remarks: list[tuple[Pointer, str, str]] = []
    ones: set[str] = set()
    for part in parts:
        for resource, amount in part.resources.items():
            result.resources[resource] = result.resources.get(resource, 0) + amount
        own = part.labels.get(GPU + ".product", "")
        if not product or own == product:
            count = int(result.labels.get(GPU + ".count", "0")) + int(part.labels.get(GPU + ".count", "0"))
            result.labels.update(part.labels)
            result.may_be.update(part.may_be)
            if GPU + ".count" in result.labels:
                result.labels[GPU + ".count"] = str(count)
            product = product or own
        elif own:
            where = next(iter(part.origins.values()))[:2]
            sentence = f"{product} and {own} are on one node, which has the labels of only one of them: here the first"
            remarks.append(((*where, "model"), sentence, "a nodeSelector on the product does not choose between them"))
        result.origins.update({name: where for name, where in part.origins.items() if name not in result.origins})
        arch = arch or part.arch
        remarks.extend(part.remarks)
        ones.update(part.one_per_container)
    return replace(result, arch=arch, one_per_container=tuple(sorted(ones)), remarks=tuple(remarks))


def _entry(entry: dict[str, Any], at: Pointer) -> Advertised:
    count = entry["count"]
    if "resource" in entry:
        resource = entry["resource"]
        return Advertised({resource: count}, origins={resource: (*at, "count")})
    if count == 0:
        return Advertised()
    memory = mebibytes(entry.get("memory"))
    models, remarks = _models(entry["model"], memory, at)
    first, *others = [_of_model(entry, at, one, memory) for one in models or (None,)]
    may_be = {
        name: values
        for name, value in first.labels.items()
        if (values := tuple(dict.fromkeys(found for one in others if (found := one.labels.get(name, "")) != value)))
    }
    return replace(first, remarks=(*remarks, *first.remarks), may_be=may_be)


def _of_model(entry: dict[str, Any], at: Pointer, model: GpuModel | None, memory: int | None) -> Advertised:
    count = entry["count"]
    remarks: list[tuple[Pointer, str, str]] = []
    product = model.product if model else product_label(entry["model"])
    sharing, mig = _sharing(entry.get("sharing", {})), entry.get("sharing", {}).get("mig")
    labels = _labels(product, model, memory, count, sharing)
    if mig is None:
        resources = {sharing.resource(GPU): count * sharing.replicas}
        origins: dict[str, Pointer] = dict.fromkeys(resources, (*at, "count"))
    else:
        resources, labels, below = _divided(labels, product, count, mig, sharing)
        profiles = (*at, "sharing", "mig", "profiles")
        origins = {name: (*profiles, profile) for name, profile in below.items()}
        remarks = _mig_remarks(mig, model, profiles)
    origins |= {name: (*at, "model") for name in labels if name not in origins}
    origins |= {GPU + ".count": (*at, "count")} | ({GPU + ".memory": (*at, "memory")} if "memory" in entry else {})
    ones = tuple(resources) if sharing.one_per_container else ()
    return Advertised(resources, labels, origins, model.arch if model else None, ones, tuple(remarks))


def _models(
    spelling: str, memory: int | None, at: Pointer
) -> tuple[tuple[GpuModel, ...], list[tuple[Pointer, str, str]]]:
    """Return the models that a spelling may mean, the assumed one first, and remarks."""
    models = models_called(spelling)
    where = (*at, "model")
    if not models:
        similar = similar_model(spelling)
        sentence = f'unknown GPU model "{spelling}", taken as product label "{product_label(spelling)}"'
        return (), [(where, sentence, f'did you mean "{similar}"?' if similar else "")]
    if memory is not None:
        models = tuple(sorted(models, key=lambda model: abs(model.memory - memory)))
        models = tuple(model for model in models if model.memory == models[0].memory)
    if len(models) == 1:
        return models, []
    names = ", ".join(model.product for model in models)
    return models, [(where, f'"{spelling}" may be {names}; taken as the first', "write the product label")]


def _sharing(sharing: dict[str, Any]) -> _Sharing:
    for key, strategy, one in (("timeSlicing", "time-slicing", False), ("mps", "mps", True)):
        if key in sharing:
            found = sharing[key]
            refuses = found.get("failRequestsGreaterThanOne", one)
            return _Sharing(strategy, found["replicas"], found.get("renameByDefault", False), refuses)
    return _Sharing()


def _labels(product: str, model: GpuModel | None, memory: int | None, count: int, sharing: _Sharing) -> dict[str, str]:
    labels = {
        GPU + ".present": "true",
        GPU + ".product": sharing.product(product),
        GPU + ".count": str(count),
        GPU + ".replicas": str(sharing.replicas),
        GPU + ".sharing-strategy": sharing.strategy,
        "nvidia.com/mps.capable": "true" if sharing.strategy == "mps" else "false",
    }
    memory = memory or (model.memory if model else None)
    if memory is not None:
        labels[GPU + ".memory"] = str(memory)
    if model is not None:
        labels[GPU + ".family"] = model.family
        labels[GPU + ".compute.major"], labels[GPU + ".compute.minor"] = map(str, model.compute)
        labels["nvidia.com/mig.capable"] = "true" if model.profiles else "false"
    return labels


def _divided(
    labels: dict[str, str], product: str, count: int, mig: dict[str, Any], sharing: _Sharing
) -> tuple[dict[str, int], dict[str, str], dict[str, str]]:
    # Resources, labels, and for each of both the profile it comes from.
    profiles: dict[str, int] = mig["profiles"]
    labels = {**labels, "nvidia.com/mig.strategy": mig["strategy"]}
    if mig["strategy"] == "single":
        # The memory of a MIG device is known to the driver alone.
        labels.pop(GPU + ".memory", None)
        if len(profiles) > 1:
            invalid = {GPU + ".product": f"{product}-MIG-INVALID"}
            zeros = dict.fromkeys((GPU + ".count", GPU + ".replicas", GPU + ".memory"), "0")
            return {}, labels | invalid | zeros, {}
        ((profile, devices),) = profiles.items()
        labels[GPU + ".product"] = sharing.product(f"{product}-MIG-{profile.replace('+', '.')}")
        labels[GPU + ".count"] = str(devices * count)
        resource = sharing.resource(GPU)
        return {resource: devices * count * sharing.replicas}, labels, {resource: profile}
    labels[GPU + ".product"], labels[GPU + ".replicas"] = product, "1"
    resources: dict[str, int] = {}
    below: dict[str, str] = {}
    for profile, devices in profiles.items():
        name = mig_resource(profile)
        own = {
            f"{name}.product": sharing.product(f"{product}-MIG-{profile.replace('+', '.')}"),
            f"{name}.count": str(devices * count),
            f"{name}.replicas": str(sharing.replicas),
            f"{name}.sharing-strategy": sharing.strategy,
        }
        resources[sharing.resource(name)] = devices * count * sharing.replicas
        labels |= own
        below |= dict.fromkeys((*own, sharing.resource(name)), profile)
    return resources, labels, below


def _mig_remarks(mig: dict[str, Any], model: GpuModel | None, at: Pointer) -> list[tuple[Pointer, str, str]]:
    remarks = []
    if mig["strategy"] == "single" and len(mig["profiles"]) > 1:
        sentence = "with strategy single and unequal profiles the plugin advertises nothing at all"
        remarks.append((at, sentence, "use strategy mixed, or one profile"))
    if model is not None:
        remarks += [((*at, profile), sentence, hint) for profile, sentence, hint in impossible(model, mig["profiles"])]
    return remarks
