"""Faults of a claim, its template, its class or its use, in the form that several rules report."""

from __future__ import annotations

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Certainty, Severity
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.manifest import Manifest


class ClaimFault(Value):
    """A field that the API server refuses or drops, or that makes pods wait.

    Attributes:
        manifest: the object.
        pointer: the field to point at.
        text: what is wrong.
        cause: distinguishes it from other faults of the object.
        at_key: whether to point at the key of the field, not at its value.
        help: what to do about it.
        severity: the severity, if it is not that of the rule.
    """

    manifest: Manifest
    pointer: Pointer
    text: str
    cause: str
    at_key: bool = False
    help: tuple[str, ...] = ()
    severity: Severity | None = None
    certainty: Certainty = "certain"


class ShapeFault(ClaimFault):
    """A field of a claim, or of its use, that is in the wrong place or names nothing.

    Attributes:
        covers: the fields that this fault fully explains: no other rule reports them.
        near: the name that was probably meant.
        wrap: the fields of the request at `pointer[:-1]` that belong under `exactly`.
        unwrap: whether the content of the field belongs in its place.
        version: the apiVersion with this shape.
    """

    covers: tuple[Pointer, ...] = ()
    near: str = ""
    wrap: tuple[str, ...] = ()
    unwrap: bool = False
    version: str = ""
