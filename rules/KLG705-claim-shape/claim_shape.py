"""Claims in the form of another API version, and pods that name their claims wrongly."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from kubelint_gpu.analysis.devices.claim_shapes import ShapeFault, shape_faults
from kubelint_gpu.builders.faulty_claims import faulty_claims
from kubelint_gpu.documents import editing
from kubelint_gpu.documents.layout import NotEditable
from kubelint_gpu.engine.api import ApplySet, Diagnostic, FixCandidate, field_pointers, rule
from kubelint_gpu.engine.remedies import rewritten

_STABLE, _STABLE_SINCE = "resource.k8s.io/v1", 34


@rule("KLG705")
def claim_shape(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield fields of another version of `resource.k8s.io`, and names of claims and requests that do not match."""
    return faulty_claims("KLG705", shape_faults(unit), partial(_proposals, unit))


def _proposals(unit: ApplySet, fault: ShapeFault) -> tuple[FixCandidate, ...]:
    minor = unit.minor_release
    if fault.near:
        return rewritten(fault.manifest, fault.pointer, [fault.near])
    if fault.version == _STABLE and (minor is None or minor >= _STABLE_SINCE):
        return rewritten(fault.manifest, ("apiVersion",), [_STABLE])
    if fault.wrap:
        return (FixCandidate("write them under exactly", "unsafe", partial(_wrapped, fault)),)
    if fault.unwrap:
        return (FixCandidate("write the name in the entry itself", "unsafe", partial(_unwrapped, fault)),)
    return ()


def _wrapped(fault: ShapeFault) -> list[editing.Edit]:
    """Return the edits that nest the fields of a request one level deeper, below a new key."""
    item, where = fault.manifest.item, fault.pointer[:-1]
    source = item.document.source
    spans = [(item.locate((*where, key), "key"), item.locate((*where, key))) for key in fault.wrap]
    lines = sorted({key.line for key, _ in spans})
    if len(lines) != len(spans) or any(key.column != spans[0][0].column for key, _ in spans):
        raise NotEditable("the fields do not stand on lines of their own")
    first = min(spans, key=lambda one: one[0].start)[0]
    margin = " " * (first.column - 1)
    if source.text[first.start - len(margin) : first.start] != margin:
        raise NotEditable("the first field does not begin its line")
    edits = [editing.Edit(source.path, source.span(first.start, first.start), f"exactly:\n{margin}  ")]
    for key, value in spans:
        starts = [source.line_starts[number - 1] for number in range(key.line, value.end_line + 1)]
        for start in starts:
            blank = source.text[start : start + len(margin)] != margin
            if start + len(margin) == first.start or start >= value.end or blank:
                continue
            at = start + len(margin)
            edits.append(editing.Edit(source.path, source.span(at, at), "  "))
    return edits


def _unwrapped(fault: ShapeFault) -> list[editing.Edit]:
    """Return the edits that replace `source` by its contents."""
    item = fault.manifest.item
    below = field_pointers.at(fault.manifest, fault.pointer)
    if not isinstance(below, dict) or len(below) != 1:
        raise NotEditable("source has not one field")
    inner = (*fault.pointer, next(iter(below)))
    source, outer = item.document.source, item.locate(fault.pointer)
    begin, end = item.locate(fault.pointer, "key").start, item.locate(inner).end
    edits = [editing.Edit(source.path, source.span(begin, item.locate(inner, "key").start), "")]
    return [*edits, editing.Edit(source.path, source.span(end, outer.end), "")] if end < outer.end else edits
