"""Documents as an editor changes them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.lsp.document.open_documents import OpenDocuments, TextChange


@given(
    st.text(alphabet="a\n\r\u2028\x85é😀", max_size=30),
    st.lists(
        st.tuples(st.integers(-1, 9), st.integers(-1, 9), st.integers(-1, 9), st.integers(-1, 9), st.text(max_size=3))
    ),
)
def test_no_change_whatever_it_says_breaks_a_document(text, changes):
    documents = OpenDocuments()
    documents.open("u", "p", 1, text)
    documents.change("u", 2, [TextChange(new, (a, b, c, d)) for a, b, c, d, new in changes])
    assert documents.get("u").version == 2


def test_changes_are_made_one_after_the_other():
    documents = OpenDocuments()
    documents.open("u", "p", 1, "a: 😀x\r\nb: y\r\n")
    documents.change(
        "u", 2, [TextChange("z", (0, 5, 0, 6)), TextChange("", (0, 6, 1, 0)), TextChange("!", (7, 0, 8, 0))]
    )
    assert documents.get("u").text == "a: 😀zb: y\r\n!"
