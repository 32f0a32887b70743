"""What a chart is given beside its own: values, and the name of its release."""

from __future__ import annotations

from typing import Literal

from kubelint_gpu.documents import Pointer
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_RELEASE = pattern(r"[a-z0-9](?:[-a-z0-9]{0,51}[a-z0-9])?")


class GivenValues(Value):
    """A file of values, or what an object of a GitOps controller holds.

    Attributes:
        path: the file, below the root of the repository.
        form: `file` for a file of values; else what an object holds: a `mapping`, a `text`, or `parameters`, a list of
            names and values.
        document: which document of the file that object is.
        pointer: where the values stand in it.
    """

    path: str
    form: Literal["file", "mapping", "text", "parameters"] = "file"
    document: int = 0
    pointer: Pointer = ()


def is_release(name: str) -> bool:
    """Whether Helm takes it for the name of a release."""
    return _RELEASE().fullmatch(name) is not None
