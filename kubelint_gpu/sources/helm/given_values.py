"""Input to a chart besides its own files: values, and a release name."""

from __future__ import annotations

from typing import Literal

from kubelint_gpu.documents import Pointer
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value

_RELEASE = pattern(r"[a-z0-9](?:[-a-z0-9]{0,51}[a-z0-9])?")


class GivenValues(Value):
    """A values file, or values that an object of a GitOps controller holds.

    Attributes:
        path: the file, below the root of the repository.
        form: `file` for a values file; else the form in an object: a `mapping`, a `text`, or `parameters`, a list of
            names and values.
        document: the index of that object's document in the file.
        pointer: where the values stand in the object.
    """

    path: str
    form: Literal["file", "mapping", "text", "parameters"] = "file"
    document: int = 0
    pointer: Pointer = ()


def is_release(name: str) -> bool:
    """Whether Helm accepts the name for a release."""
    return _RELEASE().fullmatch(name) is not None
