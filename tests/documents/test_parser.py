"""What the parser takes as kubectl does."""

import pytest
from problems import values

from kubelint_gpu.documents import comments, read

both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


@both
def test_colons_in_flow_collections_need_no_quotes(pure):
    """As go-yaml has it, which reads manifests for kubectl; libyaml would want quotes."""
    text = "a: [http://x, a:b, {image: nginx:1.2}] # why\nb: {uri: hf://y}\n"
    assert values(text, pure=pure) == [{"a": ["http://x", "a:b", {"image": "nginx:1.2"}], "b": {"uri": "hf://y"}}]
    reading = read("a.yaml", f"{text}---\nc: [d:e, *f]\n---\ng: h\n".encode(), pure=pure)
    assert [document.value for document in reading.documents] == [values(text)[0], {"g": "h"}]
    assert len(reading.problems) == 1
    assert [comment.text for comment in comments(reading)] == ["# why"]


def test_a_tab_behind_a_colon_is_accepted():
    assert values("a:\t1\nb: 2\t\n--- \t\n") == [{"a": 1, "b": 2}, None]


def test_text_behind_a_line_separator_in_a_comment_is_applied():
    assert values("x: 1 # foo\u2028z: 2\n") == [{"x": 1, "z": 2}]
