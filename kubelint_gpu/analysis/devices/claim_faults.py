"""What is wrong with a claim, its template, its class or its use, as far as rules say it alike."""

from __future__ import annotations

from kubelint_gpu.documents import Pointer
from kubelint_gpu.findings.finding import Certainty, Severity
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.manifest import Manifest


class ClaimFault(Value):
    """A field that the API server refuses or drops, or with which pods wait.

    Attributes:
        manifest: the object.
        pointer: the field to point at.
        text: what is wrong.
        cause: what tells it from other faults of the object.
        at_key: whether the key of the field is meant, and not its value.
        help: what to do about it.
        severity: where that of the rule is not meant.
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
    """Something of a claim, or of its use, that stands in the wrong place or names nothing.

    Attributes:
        covers: the fields that this says all of: no other rule tells of them.
        near: the name that was probably meant.
        wrap: the fields of the request at `pointer[:-1]` that belong under `exactly`.
        unwrap: whether what stands under the field belongs in its place.
        version: the apiVersion whose shape it is.
    """

    covers: tuple[Pointer, ...] = ()
    near: str = ""
    wrap: tuple[str, ...] = ()
    unwrap: bool = False
    version: str = ""
