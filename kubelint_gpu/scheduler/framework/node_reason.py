"""The scheduler's reasons that are said of nodes by name."""

from __future__ import annotations

ALLOCATED_ELSEWHERE = "resourceclaim not available on the node"
"""What the plugin DynamicResources says of nodes that do not reach what a claim has, 1.34."""


class NodeReason(str):
    """`node(s) had untolerated taint(s)`: why a filter rejects nodes, in the scheduler's words.

    Attributes:
        told: what is said behind their names: `had untolerated taint(s)`, as a rule the words behind `node(s)`.
        of_one: the same as a clause about one node: `it had untolerated taint(s)`.
    """

    __slots__ = ("of_one", "told")

    told: str
    of_one: str

    def __new__(cls, told: str, of_one: str = "it {}", text: str = "") -> NodeReason:  # noqa: PYI034 - no subclasses
        """The reason with what it tells of nodes; `{}` in `of_one` is that, and a plural one needs its own `of_one`."""
        found = super().__new__(cls, text or f"node(s) {told}")
        found.told, found.of_one = told, of_one.format(told)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return NodeReason, (self.told, self.of_one, str(self))
