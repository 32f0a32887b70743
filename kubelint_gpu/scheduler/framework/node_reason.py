"""Rejection reasons of the scheduler that are reported with node names."""

from __future__ import annotations

ALLOCATED_ELSEWHERE = "resourceclaim not available on the node"
"""What the plugin DynamicResources says of nodes that do not reach what a claim has, 1.34."""


class NodeReason(str):
    """`node(s) had untolerated taint(s)`: why a filter rejects nodes, in the scheduler's words.

    Attributes:
        told: the text that follows the node names: usually the words after `node(s)`.
        of_one: the same as a clause about one node: `it had untolerated taint(s)`.
    """

    __slots__ = ("of_one", "told")

    told: str
    of_one: str

    def __new__(cls, told: str, of_one: str = "it {}", text: str = "") -> NodeReason:  # noqa: PYI034 - no subclasses
        """Build the reason from `told`; `{}` in `of_one` stands for it, and a plural verb needs its own `of_one`."""
        found = super().__new__(cls, text or f"node(s) {told}")
        found.told, found.of_one = told, of_one.format(told)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return NodeReason, (self.told, self.of_one, str(self))
