"""GPU resources that no node gives out under that name, or not so many of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from kubelint_gpu.analysis.diagnosis import Diagnosis, diagnose
from kubelint_gpu.analysis.node_misfit import MIG, REMOVED, excluding_gpu_label, matches, title
from kubelint_gpu.documents import Pointer
from kubelint_gpu.engine.diagnostic import Diagnostic, FixCandidate
from kubelint_gpu.engine.registry import rule
from kubelint_gpu.engine.remedies import renamed
from kubelint_gpu.evidence.node_lines import clues, node_clues
from kubelint_gpu.evidence.runtime_classes import source_of
from kubelint_gpu.findings.finding import Place
from kubelint_gpu.inventory.gpus.gpu_models import GpuModel, models_called
from kubelint_gpu.inventory.gpus.mig import near_resource, profile_of
from kubelint_gpu.kube.admission.defaults import extended_resources
from kubelint_gpu.kube.gpu.resource_owners import owner_of
from kubelint_gpu.kube.objects.node import Node
from kubelint_gpu.kube.objects.requests import is_extended
from kubelint_gpu.messages.wording import amount, listed, some
from kubelint_gpu.values import dataclass
from kubelint_gpu.workspace import field_pointers
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.workload_check import WorkloadCheck

_GPU = "nvidia.com/gpu"
_PRODUCT = "nvidia.com/gpu.product"
_STRATEGY = "nvidia.com/mig.strategy"


@rule("KLG502")
def unknown_resource(unit: ApplySet) -> Iterator[Diagnostic]:
    """An extended resource that no node knows and no pool may bring."""
    for subject, found in diagnose(unit):
        if found.code != "KLG502":
            continue
        resource = found.resource
        names = sorted(name for name in unit.advertised if is_extended(name))
        near = [name for name in [_GPU] if name in names] if resource == REMOVED else _near(resource, names)
        has = f"they have {some(names, 'extended resource')}" if names else "they have no extended resource at all"
        gone = ", which Kubernetes removed in 1.11" if resource == REMOVED else ""
        yield Diagnostic(
            "KLG502",
            _place(subject, resource),
            f"no node of the inventory advertises {resource}{gone}; {has}",
            subject.manifest,
            cause=resource,
            certainty=found.certainty,
            scheduler=_text(unit, subject),
            help=(f"did you mean {near[0]}?",) if near else (),
            proposals=_renames(subject, resource, near),
        )
    yield from _told_left_out(unit)


@dataclass(frozen=True, slots=True)
class _LeftOut:
    resources: tuple[str, ...]
    owner: str


def _left_out(unit: ApplySet, subject: WorkloadCheck) -> Iterator[_LeftOut]:
    """What its pods ask for that something else gives out, of which the inventory says nothing."""
    written = subject.manifest.workload
    groups: dict[str, list[str]] = {}
    for name in extended_resources(written.spec) if written is not None and unit.has_nodes else ():
        if owner_of(name) and name not in unit.advertised and name not in unit.mapped and not unit.world.ignores(name):
            groups.setdefault(owner_of(name), []).append(name)
    for owner, names in groups.items():
        yield _LeftOut(tuple(names), owner)


def _told_left_out(unit: ApplySet) -> Iterator[Diagnostic]:
    for subject in unit.subjects:
        for found in _left_out(unit, subject):
            one = len(found.resources) == 1
            yield Diagnostic(
                "KLG502",
                _place(subject, found.resources[0]),
                f"{listed(found.resources)} {'is' if one else 'are'} given out by {found.owner}, which the inventory "
                f"does not declare: what the pods ask for of {'it' if one else 'them'} is not looked at here",
                subject.manifest,
                cause=f"owner/{found.owner}",
                certainty="possible",
                severity="note",
                help=("name it under scheduler.profiles[].ignoredResources of the inventory where that is meant",),
            )


def _near(resource: str, names: Sequence[str]) -> list[str]:
    """The name that was probably meant: one of the same domain, give or take a letter, and alike as a whole."""
    domain = resource.partition("/")[0]
    alike = [name for name in names if get_close_matches(domain, [name.partition("/")[0]], 1, 0.85)]
    return get_close_matches(resource, alike, 1, 0.75)


@rule("KLG503")
def gpu_count_exceeds_node(unit: ApplySet) -> Iterator[Diagnostic]:
    """More GPUs than the largest node has."""
    for subject, found in diagnose(unit):
        if found.code != "KLG503":
            continue
        most = amount(found.resource, found.allocatable)
        yield Diagnostic(
            "KLG503",
            _place(subject, found.resource, "value"),
            f"its pod asks for {amount(found.resource, found.needed)}, and the largest node that may take it, "
            f"{title(unit, found.nodes[0])}, has {most}",
            subject.manifest,
            cause=found.resource,
            certainty=found.certainty,
            scheduler=_text(unit, subject),
            related=clues(unit, subject, found.resource, found.nodes),
            help=(f"ask for at most {most}, or spread the work over several pods",),
        )


@rule("KLG507")
def gpu_label_mismatch(unit: ApplySet) -> Iterator[Diagnostic]:
    """A GPU label that leaves only nodes with too few GPUs."""
    for subject, found in diagnose(unit):
        if found.code != "KLG507":
            continue
        enough = [node for node in unit.possible_nodes if node.allocatable.get(found.resource, 0) >= found.needed]
        bound = excluding_gpu_label(subject, tuple(enough))
        if bound is None:
            continue
        key = bound.requirement.key
        values = sorted({node.labels[key] for node in enough if key in node.labels})
        left = amount(found.resource, found.allocatable) if found.allocatable else f"no {found.resource}"
        where = f"{key} {listed(values)}" if values else f"without the label {key}"
        yield Diagnostic(
            "KLG507",
            subject.manifest.place(source_of(subject.manifest, bound.pointer)),
            f"{bound.requirement} leaves only nodes with {'at most ' if found.allocatable else ''}{left}, and "
            f"{amount(found.resource, found.needed)} is asked for; nodes with enough are {where}",
            subject.manifest,
            cause=str(bound.requirement),
            certainty=found.certainty,
            scheduler=_text(unit, subject),
            related=(
                *clues(unit, subject, found.resource, ()),
                *node_clues(unit, [node.name for node in enough[:2]], found.resource),
            ),
            help=("ask for fewer GPUs, or select the GPU that has them",),
        )


@rule("KLG506")
def mig_profile(unit: ApplySet) -> Iterator[Diagnostic]:
    """A MIG device that no GPU of the nodes can have, or that the nodes do not advertise under this name."""
    for subject, found in diagnose(unit):
        if found.code != "KLG506":
            continue
        near = near_resource(found.resource, unit.advertised)
        yield Diagnostic(
            "KLG506",
            _place(subject, found.resource),
            f"no node advertises {found.resource}: {_why(unit, subject, found)}",
            subject.manifest,
            cause=found.resource,
            certainty=found.certainty,
            scheduler=_text(unit, subject),
            help=(f"did you mean {near}?",) if near else (),
            proposals=_renames(subject, found.resource, [near] if near else []),
        )


def _why(unit: ApplySet, subject: WorkloadCheck, found: Diagnosis) -> str:
    nodes = [node for node in unit.possible_nodes if _PRODUCT in node.labels and matches(subject, node)]
    if not nodes:
        return "no node that may take the pod has a GPU"
    single = [node.name for node in nodes if node.labels.get(_STRATEGY) == "single"]
    if single:
        return f"the MIG strategy of {some(single)} is single, so its MIG devices are called {_GPU}"
    models = {model.product: model for node in nodes for model in _models(node)}
    able = [name for name, model in models.items() if profile_of(model, found.resource)]
    if models and not able:
        return _inability(found.resource, tuple(models[name] for name in sorted(models)))
    there = sorted(name for name in unit.advertised if name.startswith(MIG))
    if there:
        return f"the MIG devices of the nodes are {some(there, 'resource')}"
    return f"{listed(sorted(able))} could be divided so, but MIG is off" if able else "MIG is off on all nodes"


def _inability(resource: str, models: Sequence[GpuModel]) -> str:
    whole = [model.product for model in models if not model.profiles]
    if len(whole) == len(models):
        return f"{listed(whole)} cannot be divided by MIG"
    divided = next(model for model in models if model.profiles)
    profiles = listed([name for name, _ in divided.profiles])
    others = f", and {listed(whole)} cannot be divided" if whole else ""
    return f"{divided.product} has no profile {resource.removeprefix(MIG)}, its profiles are {profiles}{others}"


def _models(node: Node) -> tuple[GpuModel, ...]:
    product = node.labels[_PRODUCT].partition("-MIG-")[0].removesuffix("-SHARED")
    return tuple(model for model in models_called(product) if model.product == product)


def _renames(subject: WorkloadCheck, resource: str, names: Sequence[str]) -> tuple[FixCandidate, ...]:
    written = list(_written(subject, resource))
    return tuple(
        FixCandidate(
            f"ask for {name}",
            "unsafe",
            lambda name=name: renamed(subject.manifest, written, name),  # type: ignore[misc]
        )
        for name in names
        if written
    )


def _written(subject: WorkloadCheck, resource: str) -> Iterator[Pointer]:
    """Every place where containers name a resource, in limits and in requests."""
    for route in field_pointers.requests(subject.manifest, resource):
        for part in ("limits", "requests"):
            pointer = (*route[:-2], part, resource)
            if subject.manifest.present(pointer):
                yield pointer


def _place(subject: WorkloadCheck, resource: str, role: str = "key") -> Place:
    manifest = subject.manifest
    for route in field_pointers.requests(manifest, resource):
        return manifest.place(route, "key" if role == "key" else "value")
    return manifest.place(field_pointers.pod_spec(manifest), "key")


def _text(unit: ApplySet, subject: WorkloadCheck) -> str | None:
    return unit.beside_running(subject).message or unit.alone(subject).message
