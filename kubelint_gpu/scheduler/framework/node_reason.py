"""The scheduler's reasons that begin with the nodes that they are about."""

from __future__ import annotations


class NodeReason(str):
    """`node(s) had untolerated taint(s)`: why a filter rejects nodes, in the scheduler's words.

    Attributes:
        told: what is behind `node(s)`: `had untolerated taint(s)`.
        of_one: the same as a clause about one node: `it had untolerated taint(s)`.
    """

    __slots__ = ("of_one", "told")

    told: str
    of_one: str

    def __new__(cls, told: str, of_one: str = "it {}") -> NodeReason:  # noqa: PYI034 - it has no subclasses
        """The reason with what it tells of nodes; `{}` in `of_one` is that, and a plural one needs its own `of_one`."""
        found = super().__new__(cls, f"node(s) {told}")
        found.told, found.of_one = told, of_one.format(told)
        return found

    def __reduce__(self) -> tuple[object, ...]:
        return NodeReason, (self.told, self.of_one)
