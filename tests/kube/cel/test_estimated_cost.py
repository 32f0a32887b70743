"""The cost of an expression is estimated as the API server of 1.36.3 estimates it."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.cel.cel_errors import NotKnown
from kubelint_gpu.kube.cel.estimated_cost import CostEstimator
from kubelint_gpu.kube.cel.estimated_sizes import MOST
from kubelint_gpu.kube.cel.parsing import parse
from kubelint_gpu.kube.cel.type_checking import Checker
from kubelint_gpu.kube.dra.device_sizes import device_size
from kubelint_gpu.kube.dra.selector import DEVICE, device_fields, selector

COSTS = [
    ('device.attributes["a"].all(k, device.attributes["b"].all(l, device.attributes["c"].all(m, k + l == m)))', 564452),
    ('device.attributes.all(d, device.attributes[d].all(k, device.attributes[d][k] == "x"))', 10499),
    ('device.capacity["a"].all(k, device.capacity["a"][k].compareTo(quantity("1Gi")) > 0)', 356),
    ('device.capacity["a"]["b"] == quantity("1Gi")', 6),
    ('device.capacity.exists(d, d.startsWith("gpu"))', 195),
    ('device.attributes.map(d, d).join(",").contains("x")', 3689348814741910957),
    ("device.attributes.filter(d, d.size() > 3).size() > 0", 527),
    ('device.driver.split(".").map(p, p.upperAscii()).join("-").matches("^A.*")', MOST),
    ('cel.bind(a, device.attributes["x"], a.b == 1 && a.c.lowerAscii().contains("foo"))', 32),
    ('device.driver.replace("a", "bb").replace("b", "ccc").size() > 3', 43),
    ('device.driver.replace("", "bb").size() > 3', 17),
    ('[device.driver, "x"].exists(s, s.matches("a.*b"))', 37),
    ('device.attributes["x"].transformMap(k, v, v).size() == 1', 164),
    ('device.attributes["x"].exists_one(k, k == "b")', 133),
    ('device.driver.find("[a-z]+").startsWith("g")', 17),
    ('device.driver.findAll("[a-z]+").exists(x, x == "g")', 395),
    ('device.attributes[?"x"].orValue({}).size() > 0', 36),
    ('device.attributes["x"][?"y"].orValue("z") == "z"', 6),
    ('sets.contains(device.driver.split("."), ["a", "b"])', 152),
    ('device.driver.split(".").distinct().sort() == ["a"]', 33089205),
    ('device.driver.split(".").slice(0, 1)[0] == "a"', 29),
    ('device.driver.split("").reverse().join("") == "abc"', 1844674407370955354),
    ("lists.range(100).all(i, i < 200)", 612),
    ('device.driver in ["a", "b", "c"]', 15),
    ('"b" in device.attributes["a"]', 4),
    ('{"a": "b"}[device.driver] == "b"', 34),
    ('dyn(device.driver) == "x"', 4),
    ('device.attributes["a"].b.split(",").exists(x, x == "y")', 402),
    ('device.attributes["a"].b in ["x", "y"]', 16),
    ('device.attributes["a"].b > 3', 5),
    ('semver(device.attributes["a"].b).major() > 2', 13),
    ('device.attributes["a"].v.isGreaterThan(semver("1.2.3"))', 6),
    ('device.attributes["a"].v == semver("1.2.3")', 12),
    ('device.attributes.a.b == "c"', 5),
    ('device.attributes["a"].b.c == "d"', 5),
    ('has(device.attributes["a"].b) ? device.attributes["a"].b == "c" : device.driver.contains("abc")', 12),
    ('(device.driver + device.driver + device.driver).matches("a{1,100}")', 76),
    ('device.driver.indexOf("a") > 3', 10),
    ('device.driver.split(".").indexOf("a") > 3', MOST),
    ('device.driver.split(".").max() > "a"', MOST),
    ('"%s-%d".format([device.driver, 3]) == "x"', 14),
    (
        'device.attributes["a"].exists(k, device.attributes["a"].exists(l, device.attributes["a"].exists(m, device.attributes["a"].exists(n, k == l))))',
        10756356,
    ),
    (
        'device.attributes["a"].exists(k, device.attributes["a"].exists(l, k.matches("a") && l.matches(device.driver)))',
        78084,
    ),
    ("device.allowMultipleAllocations == true", 3),
    ("optional.of(device.driver).optMap(x, x.size()).orValue(0) > 1", 23),
    ('string(bytes(device.driver)) == "a"', 36),
    ('ip("10.0.0.1").family() == 4', 3),
    ('cidr("10.0.0.0/8").containsIP("10.0.0.1")', 6),
    ("type(device.driver) == string", 1844674407370955268),
    ('duration("1h") > duration("1m")', 3),
    ('device.driver == "gpu.example.com"', 4),
    ('device.capacity["a"].b.compareTo(quantity("1Gi")) >= 0', 7),
    ('device.attributes["a"].all(k, k.matches("^(a|b)*$"))', 388),
    (
        "[1,2,3,4,5,6,7,8,9,10].all(a, [1,2,3,4,5,6,7,8,9,10].all(b, [1,2,3,4,5,6,7,8,9,10].all(c, [1,2,3,4,5,6,7,8,9,10].all(d, [1,2,3,4,5,6,7,8,9,10].all(e, [1,2,3,4,5,6,7,8,9,10].all(f, a + b + c + d + e + f > 0))))))",
        16555551,
    ),
]


def estimated(expression: str) -> int:
    tree = parse(expression)
    checker = Checker({"device": DEVICE}, {DEVICE: device_fields(shareable=True)})
    checker.result(tree)
    assert checker.issues == []
    return CostEstimator(checker.type_of, device_size).visit(tree)


@pytest.mark.parametrize(("expression", "cost"), COSTS)
def test_the_estimate_is_the_api_servers(expression, cost) -> None:
    assert estimated(expression) == cost
    assert selector(expression).is_too_complex() == (cost > 1_000_000)


def test_what_is_not_modelled_has_no_estimate_and_is_not_refused() -> None:
    expression = 'format.named("uuid").value().validate(device.driver).hasValue()'
    with pytest.raises(NotKnown):
        estimated(expression)
    assert not selector(expression).is_too_complex()
