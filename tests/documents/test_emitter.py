"""What is written reads as the same value."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from kubelint_gpu.documents import read
from kubelint_gpu.documents.emitter import block_lines, flow_text

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cs"]), max_size=8).filter(
    lambda text: "\0" not in text
)
scalars = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False).filter(lambda x: not x.is_integer())
    | words
)
keys = st.sampled_from(["a", "b", "yes", "1", "x.y/z", "é é", "", "#", "- ", "25%", "0x1"]) | words
data = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=10,
)


def same(left, right):
    return json.dumps(left, sort_keys=True) == json.dumps(right, sort_keys=True)


@settings(deadline=None)
@given(value=data)
def test_what_is_written_reads_as_the_same_value(value):
    for text in (flow_text(value), "\n".join(block_lines(value)) + "\n"):
        for pure in (False, True):
            reading = read("a.yaml", text.encode(), pure=pure)
            assert reading.problems == ()
            assert same(reading.documents[0].value, value)
