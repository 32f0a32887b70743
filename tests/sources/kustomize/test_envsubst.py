"""Variables in texts, as envsubst of Flux fills them in: its own answers are the expectations."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.sources.kustomize.envsubst import SubstitutionError, filled

VALUES = {"a": "Value1", "b": "", "c": "x/y/x", "n": "12"}


def lookup(name, _default):
    return VALUES.get(name, "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${a} $a $(a) {a}", "Value1 $a $(a) {a}"),
        ("$${a} $$$${a} $$a $", "${a} $${a} $a $"),
        ("$$$${a}", "$${a}"),
        ("$$${a}", "$Value1"),
        ("${u}${u:-x y}${u:=:1}${u=2}${u:?3}${u:+4}", "x y:1234"),
        ("${a:-x}${b:-x}${a=x}", "Value1xValue1"),
        ("${u:-${b:-${n}}z}", "12z"),
        ("${u:-a$$b}", "a$$b"),
        ("${u:-a\nb}", "a\nb"),
        ("${#a}${#u}", "60"),
        ("${a,}${a,,}${a^}${a^^}", "value1value1Value1VALUE1"),
        ("${a:1}${a:1:2}${a:-2}${a:9}${a:x}${a:2:99}", "alue1alValue1Value1lue1"),
        ("${c/x/z}${c//x/z}${c/#x/z}${c/%x/z}${c/x/}", "z/y/xz/y/zz/y/xx/y/z/y/x"),
        ("${c/\\//-}", "x-y/x"),
        ("${c#x/}${c##x/}${c%/x}${c%%/x}", "y/xy/xx/yx/y"),
    ],
)
def test_a_text_is_filled_in_as_flux_does_it(text, expected):
    assert filled(text, lookup) == expected


@pytest.mark.parametrize(
    "text",
    [
        "${",
        "${}",
        "${a",
        "${ a}",
        "${a-x}",
        "${a?x}",
        "${a.b}",
        "${{ a }}",
        "${a:}",
        "${a/x}",
        "${#}",
        "${a:-x",
        "${a,x}",
    ],
)
def test_what_flux_refuses_is_refused(text):
    with pytest.raises(SubstitutionError, match="is no variable"):
        filled(f"text {text}", lookup)


def test_variables_that_nobody_knows_stay():
    text = "${u:-1} ${u} ${#u} ${u^^} ${a} ${u/x/y} ${b:-${u}}"
    expected = "${u} ${u} ${u} ${u} Value1 ${u} ${u}"
    assert filled(text, lambda name, _: VALUES.get(name)) == expected
    assert filled("${a%e*}", lookup) == "${a}"


def test_a_lookup_knows_whether_there_is_a_default():
    asked = []
    filled("${a}${b:-x}${c=x}${d/x/y}", lambda name, default: asked.append((name, default)))
    assert asked == [("a", False), ("b", True), ("c", True), ("d", False)]


def test_depth_is_bounded():
    with pytest.raises(SubstitutionError):
        filled("${u:-" * 1000 + "}" * 1000, lookup)


@pytest.mark.parametrize("text", ["${a}" * 200, "${u:-${a}${a}}" * 100])
def test_the_values_are_bounded(text):
    with pytest.raises(SubstitutionError, match="million characters"):
        filled(text, lambda name, _: "x" * 1_000_000 if name == "a" else "")
    assert filled("${a//x/" + "y" * 100 + "}", lambda *_: "x" * 1_000_000) == "${a}"


@given(st.text(alphabet="$${}ab:=-?+/#%^,x1\\ \n", max_size=40))
def test_any_text_is_filled_in_or_refused(text):
    try:
        filled(text, lookup)
    except SubstitutionError:
        return
