"""What is written reads as the same value."""

from edited import data, same
from hypothesis import given, settings

from kubelint_gpu.documents import read
from kubelint_gpu.documents.emitter import block_lines, flow_text


@settings(deadline=None)
@given(value=data)
def test_what_is_written_reads_as_the_same_value(value):
    for text in (flow_text(value), "\n".join(block_lines(value)) + "\n"):
        for pure in (False, True):
            reading = read("a.yaml", text.encode(), pure=pure)
            assert reading.problems == ()
            assert same(reading.documents[0].value, value)
