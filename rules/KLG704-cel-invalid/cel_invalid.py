"""CEL expressions that do not compile, or that have no value for a device."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kubelint_gpu.analysis.devices.claim_expressions import RuntimeFailure, runtime_failures
from kubelint_gpu.analysis.devices.expression_compilation import compile_failures
from kubelint_gpu.engine.api import ApplySet, Diagnostic, field_pointers, rule
from kubelint_gpu.kube.values.errors import field_path
from kubelint_gpu.messages.did_you_mean_label import nearest_key
from kubelint_gpu.messages.wording import begun

_ORDERED = ("<", ">")
_ASSIGNS, _EQUALS = "token recognition error at: '=", "== compares"
_QUANTITY = "quantities and versions have no <, <=, > and >=: write a.compareTo(b) >= 0, or a.isGreaterThan(b)"
_GUARD = "of an attribute that not all devices have, ask `'id' in device.attributes['domain'] &&` first"
_OF_OTHERS = "such a device is of driver {driver}: ask for the driver first, as in `device.driver == '{domain}' &&`"
_TYPES = "a version or a quantity compares only with its like: semver('9.0.0') or quantity('80Gi')"
_NO_KEY, _NO_OVERLOAD = "no such key: ", "no such overload"
_STOPS = "the attempt to schedule the pod fails on all nodes, not only on that of the device"


_IN_ORDER = (
    "where the scheduler comes to it first, the attempt fails on all nodes; it tries the pools of a node, and their "
    "slices, in no fixed order"
)


@rule("KLG704")
def cel_invalid(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield device conditions that the API server refuses, or that fail each scheduling attempt."""
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
            help=(_QUANTITY,) if ordered else (_EQUALS,) if _ASSIGNS in found.message else (),
        )
    for failure in runtime_failures(unit):
        yield _failed(failure)


def _failed(failure: RuntimeFailure) -> Diagnostic:
    owner = f"an expression of {failure.owner}" if failure.owner else "the expression"
    devices = f"device {failure.device}" if failure.declared else "devices as their driver publishes them"
    stops = _IN_ORDER if failure.in_some_order else _STOPS
    text = f"{owner} has no value for {devices}: {failure.error}; {stops}"
    # what the expression asks a device for that this one does not have
    key = failure.error.removeprefix(_NO_KEY) if failure.error.startswith(_NO_KEY) else ""
    manifest = failure.manifest
    place, expression = manifest.place(failure.pointer), field_pointers.at(manifest, failure.pointer)
    found = re.search(rf"[.'\"]({re.escape(key)})\b", expression) if isinstance(expression, str) and key else None
    return Diagnostic(
        "KLG704",
        manifest.place_within(failure.pointer, found.start(1)) if found and not failure.owner else place,
        text,
        manifest,
        cause=field_path(failure.pointer),
        certainty=failure.certainty,
        help=tuple(_advice(failure, key, expression if isinstance(expression, str) else "")),
    )


def _advice(failure: RuntimeFailure, key: str, expression: str) -> Iterator[str]:
    if not key:
        yield from [_TYPES] if failure.error == _NO_OVERLOAD else []
        return
    by_name = {one.rpartition("/")[2]: one.rpartition("/")[0] for one in failure.has}
    driver = failure.device.partition("/")[0]
    near = nearest_key(key, list(by_name))
    asked = re.search(rf"\[['\"]([^'\"]+)['\"]\]\.{re.escape(key)}\b", expression)
    if asked and asked[1] not in (driver, *by_name.values()):
        yield _OF_OTHERS.format(driver=driver, domain=asked[1])
        return
    if key in by_name:
        yield f"{key} is of domain {by_name[key] or driver}"
        return
    if near:
        yield f"did you mean {near} of domain {by_name[near] or driver}?"
    elif by_name:
        yield f"such a device has {begun(sorted(by_name), 'name', most=8)}"
    yield _GUARD
