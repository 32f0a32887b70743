"""CEL expressions that do not compile, or that have no value for a device."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_expressions import RuntimeFailure, compile_failures, runtime_failures
from kubelint_gpu.engine.api import ApplySet, Diagnostic, rule
from kubelint_gpu.kube.values.errors import field_path

_ORDERED = ("<", ">")
_QUANTITY = "quantities and versions have no <, <=, > and >=: write a.compareTo(b) >= 0, or a.isGreaterThan(b)"
_GUARD = "of an attribute that not all devices have, ask `'id' in device.attributes['domain'] &&` first"
_STOPS = "the attempt to schedule the pod fails on all nodes, not only on that of the device"


@rule("KLG704")
def cel_invalid(unit: ApplySet) -> Iterator[Diagnostic]:
    """A condition about devices that the API server refuses, or that ends every scheduling attempt with an error."""
    for found in compile_failures(unit):
        manifest = found.manifest
        place = manifest.place(found.pointer)
        if found.offset is not None:
            place = manifest.place_within(found.pointer, found.offset)
        ordered = found.offset is not None and found.expression[found.offset : found.offset + 1] in _ORDERED
        yield Diagnostic(
            "KLG704",
            place,
            f"the API server refuses the expression: {found.message}",
            manifest,
            cause=field_path(found.pointer),
            help=(_QUANTITY,) if ordered else (),
        )
    for failure in runtime_failures(unit):
        yield _failed(failure)


def _failed(failure: RuntimeFailure) -> Diagnostic:
    owner = f"an expression of {failure.owner}" if failure.owner else "the expression"
    if failure.declared:
        text = f"{owner} has no value for device {failure.device}: {failure.error}; {_STOPS}"
    else:
        text = f"{owner} has no value for devices as their driver publishes them: {failure.error}; {_STOPS}"
    return Diagnostic(
        "KLG704",
        failure.manifest.place(failure.pointer),
        text,
        failure.manifest,
        cause=field_path(failure.pointer),
        certainty=failure.certainty,
        help=(_GUARD,),
    )
