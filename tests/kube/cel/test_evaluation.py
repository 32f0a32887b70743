"""Expressions are untrusted: none takes long, none takes much memory, none ends the program."""

from __future__ import annotations

import resource
import time

import pytest

from kubelint_gpu.kube.dra.device import Device
from kubelint_gpu.kube.dra.selector import Selector
from kubelint_gpu.kube.dra.sight import subject_of

SUBJECT = subject_of(Device("gpu"), "d.example")
TEN = "[1,2,3,4,5,6,7,8,9,10]"


def nested(depth):
    return "true" if not depth else f"{TEN}.all(v{depth}, {nested(depth - 1)})"


HOSTILE = {
    "brackets": "(" * 5000 + "true" + ")" * 5000,
    "lists": "[" * 5000 + "]" * 5000,
    "negations": "!" * 10_000 + "true",
    "signs": "-" * 10_000 + "1 == 1",
    "sums": "+".join(["1"] * 5000) + "==1",
    "alternatives": "||".join(["false"] * 1400),
    "conditions": "true?true:" * 1000 + "true",
    "members": "device" + ".a" * 5000,
    "indices": "[1]" + "[0]" * 3000 + " == 1",
    "nested comprehensions": nested(9),
    "a text that doubles": "['aaaaaaaaaa']" + ".map(x, x + x)" * 60 + ".size() == 1",
    "a list that doubles": "[[1]]" + ".map(x, x + x)" * 60 + ".size() == 1",
    "a long range": "lists.range(1000000000).size() == 1",
    "lists that share their parts": "[[1]]" + ".map(x, [x, x])" * 100 + " == [[1]]" + ".map(x, [x, x])" * 100,
    "a long join": "lists.range(9000).map(x, '" + "a" * 5000 + "').join('') == ''",
    "a long replacement": "'" + "a" * 4000 + "'.replace('a', '" + "b" * 4000 + "') == ''",
    "a long product of lists": "lists.range(90000).map(x, lists.range(90000)).size() == 1",
    "a pattern that backtracks": "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!'.matches('^(a+)+$')",
    "a text that a large pattern is found in": f"'{'a' * 9000}'.findAll('^(a?){{1000}}a{{1000}}$').size() == 1",
    "a pattern that is large": "'a'.matches('((a{100}){100}){100}')",
    "many digits": "9" * 10_000 + " == 1",
    "many digits in a text": f"int('{'9' * 9000}') == 1",
    "a long quantity": f"quantity('{'9' * 9000}').isInteger()",
    "a long version": f"isSemver('1.2.{'9' * 9000}')",
    "a large power": "quantity('1e1000').isInteger()",
    "strings": "'" + "a" * 10_000 + "' == 'b'",
    "too long": "true" + " " * 20_000,
    "nothing": "",
    "no text": "\x00\ud800",
    "comments": "//" * 5000,
}


@pytest.mark.parametrize("expression", HOSTILE.values(), ids=HOSTILE)
def test_no_expression_takes_long_or_ends_the_program(expression):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    compiled = Selector(expression, shareable=True)
    if compiled.error is None:
        compiled.verdict(SUBJECT)
    assert time.process_time() - started < 2
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200_000  # KiB


def test_what_kubernetes_cuts_off_or_what_takes_long_here_is_never_a_match():
    found = Selector(HOSTILE["nested comprehensions"], shareable=True).verdict(SUBJECT)
    assert not found.matches
    assert found.unknown == "the expression takes more steps than are tried"


def test_the_cost_of_texts_is_cut_off_as_kubernetes_does():
    expression = "['" + "a" * 9000 + "']" + ".map(x, x + x)" * 6 + ".map(x, x + x).map(x, x + x).size() == 1"
    found = Selector(expression, shareable=True).verdict(SUBJECT)
    assert not found.matches
    assert found.error or found.unknown


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1 / 0 == 1 || true", True),
        ("true || 1 / 0 == 1", True),
        ("1 / 0 == 1 && false", False),
        ("1 / 0 == 1 || false", "division by zero"),
        ("[0, 1].exists(x, 1 / x == 1)", True),
        ("[0, 2].exists(x, 1 / x == 1)", "division by zero"),
        ("[0, 1].all(x, 1 / x == 2)", False),
        ("device.attributes['nowhere'].size() == 0", True),
        ("'any' in device.attributes", False),
        ("has(device.attributes['d.example'].model)", False),
        ("device.attributes['d.example'].model == 'A'", "no such key: model"),
        ("cel.bind(x, 1, cel.bind(x, x + 1, x == 2) && x == 1)", True),
        ("{'a': 1, 'b': 2}.exists(k, v, k == 'b' && v == 2)", True),
        ("[1, 2, 3].transformList(i, v, i > 0, v * i) == [2, 6]", True),
        ("{1: 'a', 1.0: 'b'}.size() == 1", "compile"),
        ("dyn(1) == 1.0 && dyn(1u) == 1 && dyn(true) != 1", True),
    ],
)
def test_errors_are_absorbed_where_the_other_side_decides(expression, expected):
    compiled = Selector(expression, shareable=True)
    if expected == "compile":
        assert compiled.error is not None
        return
    assert compiled.error is None
    found = compiled.verdict(SUBJECT)
    assert (found.error or found.matches) == expected
