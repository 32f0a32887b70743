"""Lines in which nothing is typed that could be completed."""

from __future__ import annotations

import pytest
from typed_pod import POD, place

from kubelint_gpu.documents import source_text
from kubelint_gpu.lsp.typed.typed_place import typed_place


@pytest.mark.parametrize(
    "text",
    [
        POD + "  # nodeSelector: |",
        POD + "  nodeSelector: # |",
        POD + "  command:\n  - |-\n    key: val|ue".replace("|-", ">-"),
        POD + "  args: >\n    one\n\n    two: |",
        POD + " | nodeSelector: a",
    ],
)
def test_nothing_is_typed_in_comments_and_texts(text):
    assert place(text)[0] is None


def test_a_block_scalar_is_no_yaml():
    text = POD + "  args:\n  - |\n    key: x"
    assert typed_place(source_text("", text), len(text)) is None
