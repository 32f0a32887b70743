"""Values that are given to a chart beside its own."""

from __future__ import annotations

from typing import Literal

from kubelint_gpu.documents import Pointer
from kubelint_gpu.values import Value


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
