"""PriorityClasses that the API server refuses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Manifest, Pointer, Related, rule
from kubelint_gpu.kube.objects.priority import (
    HIGHEST_USER_PRIORITY,
    NEVER,
    PREEMPT,
    SYSTEM_CLASSES,
    SYSTEM_PREFIX,
    PriorityClass,
    read_priority_class,
)
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.errors import is_placeholder

_POLICY: Pointer = ("preemptionPolicy",)
_VALUE: Pointer = ("value",)
_DEFAULT: Pointer = ("globalDefault",)


@rule("KLG303")
def invalid_priority_class(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield classes that the API server or its admission refuses."""
    found = [
        (manifest, read_priority_class(manifest.item.value, []))
        for manifest in unit.manifests
        if manifest.kind == "PriorityClass" and api_group(manifest.item.value) == "scheduling.k8s.io"
    ]
    for manifest, known in found:
        yield from _refused(manifest, known)
    yield from _defaults(unit, found)


def _refused(manifest: Manifest, known: PriorityClass) -> Iterator[Diagnostic]:
    name, value = known.name, known.value
    if name.startswith(SYSTEM_PREFIX):
        if not any((one.name, one.value) == (name, value) for one in SYSTEM_CLASSES):
            lawful = " and ".join(f"{one.name} with value {one.value}" for one in SYSTEM_CLASSES)
            yield _draft(
                manifest,
                ("metadata", "name"),
                f'"{name}" with value {value} is refused: names that begin with {SYSTEM_PREFIX} are reserved, '
                f"only {lawful} are accepted",
                "name",
            )
    elif value > HIGHEST_USER_PRIORITY:
        yield _draft(manifest, _VALUE, f"value {value} is above {HIGHEST_USER_PRIORITY}, the highest that is accepted")
    policy = manifest.item.value.get("preemptionPolicy")
    if isinstance(policy, str) and policy not in (PREEMPT, NEVER) and not is_placeholder(policy):
        yield _draft(manifest, _POLICY, f'preemptionPolicy "{policy}" is refused: it is {PREEMPT} or {NEVER}')


def _defaults(unit: ApplySet, found: Sequence[tuple[Manifest, PriorityClass]]) -> Iterator[Diagnostic]:
    """Yield every globalDefault after the first; classes of the cluster come first."""
    first = ""
    there: tuple[Related, ...] = ()
    names = {known.name for _, known in found}
    for running in unit.world.base.priority_classes:
        if running.global_default and running.name not in names:
            first, there = running.name, _cluster(unit, running.name)
            break
    for manifest, known in found:
        if not known.global_default or known.name == first:
            continue
        if first:
            yield _draft(
                manifest,
                _DEFAULT,
                f"it is refused as globalDefault: {first} is it already, and only one can be",
                related=there,
            )
        else:
            first = known.name
            there = (Related(manifest.place(_DEFAULT), f"{known.name} is globalDefault"),)


def _draft(
    manifest: Manifest, pointer: Pointer, message: str, cause: str = "", related: tuple[Related, ...] = ()
) -> Diagnostic:
    return Diagnostic(
        "KLG303", manifest.place(pointer), message, manifest, cause=cause or str(pointer[-1]), related=related
    )


def _cluster(unit: ApplySet, name: str) -> tuple[Related, ...]:
    declared = unit.world.declared("PriorityClass", name)
    if declared is None:
        return ()
    return (Related(unit.world.place(declared), f"the cluster has {name} from here"),)
