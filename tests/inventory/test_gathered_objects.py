"""Running pods, whatever their number."""

from __future__ import annotations

from declarations_of import loaded


def test_too_many_pods_are_an_error_and_not_an_outage():
    pods = ", ".join(f"{{name: p{number}, node: m, count: 80000}}" for number in range(3))
    (error,) = loaded(f"nodes: [{{name: m}}]\nrunning: [{pods}]\n")[1]
    assert error.message == "this brings the inventory above 200,000 running pods, more than it may have"
