"""A change that the API server refuses."""

from __future__ import annotations

from kubelint_gpu.kube.values.errors import Pointer
from kubelint_gpu.values import Value

IMMUTABLE = "Invalid value: field is immutable"


class RefusedChange(Value):
    """One field that may not change, and does.

    Attributes:
        at: the smallest parts of it that differ; never empty.
        answer: what the API server says, without the value and its full stop.
        where: how the object must be applied for it to be refused; empty where it always is.
    """

    at: tuple[Pointer, ...]
    answer: str
    where: str = ""
