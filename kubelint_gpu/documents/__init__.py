"""Parses YAML and JSON text into plain data with exact positions; independent of Kubernetes."""

from __future__ import annotations

from kubelint_gpu.documents.document import (
    Comment,
    Document,
    Item,
    Pointer,
    Problem,
    Reading,
    Role,
    comments,
    everything,
    items,
    value_at,
)
from kubelint_gpu.documents.reader import HELM, MAX_BYTES, read, too_large
from kubelint_gpu.documents.source_text import SourceText, Span, encode, source_text

__all__ = [
    "HELM",
    "MAX_BYTES",
    "Comment",
    "Document",
    "Item",
    "Pointer",
    "Problem",
    "Reading",
    "Role",
    "SourceText",
    "Span",
    "comments",
    "encode",
    "everything",
    "items",
    "read",
    "source_text",
    "too_large",
    "value_at",
]
