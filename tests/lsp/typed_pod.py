"""A pod while somebody types it."""

from __future__ import annotations

from kubelint_gpu.documents import source_text
from kubelint_gpu.lsp.typed.typed_place import typed_place

POD = """\
apiVersion: v1
kind: Pod
metadata:
  name: a # it's a name
spec:
"""


def place(text):
    at = text.index("|")
    text = text[:at] + text[at + 1 :]
    return typed_place(source_text("", text), at), text
