"""Values as text and back: equal, and nothing but what the reader names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.plain_values import NotPlain, from_text, to_text
from kubelint_gpu.findings.finding import Finding, Fix, Place, Related, TextEdit

_CLASSES = {one.__name__: one for one in (Finding, Fix, Place, Related, TextEdit)}
_TEXTS = st.text(st.characters(codec=None, categories=None), max_size=8)
_PLACES = st.builds(Place, _TEXTS, *[st.integers(1, 9)] * 4)


def _finding(*given, **more):
    """A finding; of the class itself hypothesis would ask the annotations, which name more than is imported."""
    return Finding(*given, **more)


_FINDINGS = st.builds(
    _finding,
    _TEXTS,
    _TEXTS,
    st.just("error"),
    st.just("certain"),
    _TEXTS,
    _PLACES,
    related=st.lists(st.builds(Related, _PLACES, _TEXTS), max_size=2).map(tuple),
    fixes=st.lists(st.builds(Fix, _TEXTS, st.just("safe"), st.booleans(), st.just(())), max_size=2).map(tuple),
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | _TEXTS | _FINDINGS,
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(_PLACES, max_size=3),
    max_leaves=6,
)


@given(_VALUES)
def test_a_value_comes_back_as_it_was(value):
    text = to_text(value)
    assert from_text(text, _CLASSES) == value
    assert text.isascii()
    assert "\n" not in text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"os.system":["true"]}',
        '{"Place":[1]}',
        '{"Place":["a",1,1,1,1,1,1]}',
        "{}",
        '{"a":1,"b":2}',
        "[" * 99999,
    ],
)
def test_another_text_is_refused(text):
    with pytest.raises(NotPlain):
        from_text(text, _CLASSES)


@pytest.mark.parametrize("value", [[1], {"a": 1}, object(), (1, {2: 3})])
def test_another_value_is_refused(value):
    with pytest.raises(NotPlain):
        to_text(value)


@given(st.lists(st.text(), max_size=4), st.lists(st.text(), max_size=4))
def test_a_digest_tells_parts_apart(one, other):
    assert (digest_of(one) == digest_of(other)) == (one == other)
