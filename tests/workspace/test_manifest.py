"""Where a character of a text stands in a file."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import items, read
from kubelint_gpu.workspace.manifest import offset_within

FORMS = {
    "plain": "a: device.driver == X && true\n",
    "double": 'a: "device.driver == X && true"\n',
    "single": "a: 'device.driver == X && true'\n",
    "literal": "a: |\n  device.driver ==\n    X && true\n",
    "folded": "a: >-\n    device.driver ==\n    X && true\n",
    "folded, windows": "a: >-\r\n    device.driver ==\r\n    X && true\r\n",
    "plain on lines": "a: device.driver ==\n  X && true\n",
    "escapes": 'a: "device.driver == \\"y\\" || X"\n',
    "quotes": "a: 'device.driver == ''y'' || X'\n",
}


@pytest.mark.parametrize("form", FORMS)
def test_a_character_of_the_value_is_found_in_the_text(form):
    text = FORMS[form]
    (item,) = items(read("a.yaml", text.encode()).documents[0])
    span = item.locate(("a",))
    source = item.document.source.text[span.start : span.end]
    place = offset_within(source, item.value["a"], item.value["a"].index("X"))
    assert place is not None
    assert source[place] == "X"


def test_nothing_is_told_where_the_text_does_not_show_the_value():
    assert offset_within('"\\u0041bc"', "Abc", 2) is None


def test_the_end_of_the_value_is_behind_its_last_character():
    assert offset_within("'ab'", "ab", 2) == 3
