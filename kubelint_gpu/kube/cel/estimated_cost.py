"""What an expression may cost at most, as the API server estimates it before it accepts the expression.

Source: cel-go 0.26, checker/cost.go and ext; k8s.io/apiserver/pkg/cel/library/cost.go, 1.36.
"""

from __future__ import annotations

from collections.abc import Callable

from kubelint_gpu.kube.cel.cel_errors import NotKnown
from kubelint_gpu.kube.cel.estimated_sizes import (
    MOST,
    ONE,
    TEXT,
    UNKNOWN,
    Entries,
    Estimate,
    KnownSizes,
    Local,
    Path,
    Size,
    added,
    converted,
    kind_of,
    number,
    product,
    replaced,
    scaled,
    total,
)
from kubelint_gpu.kube.cel.syntax import Call, Const, Fold, Ident, ListNode, MapNode, Node, Select, Struct, Visitor
from kubelint_gpu.kube.cel.types import Type

_PATTERN = 0.25
_NEW_LIST, _NEW_MAP = 10, 30
_PLAIN = frozenset(
    [
        "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add",
        "sub", "major", "minor", "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath",
        "getQuery", "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast",
        "isLinkLocalUnicast", "isGlobalUnicast", "format.named",
    ]
)  # fmt: skip
_PARSED = frozenset(["quantity", "isQuantity", "semver", "isSemver", "url", "cidr", "isIP", "isCIDR", "ip"])
_REWRITTEN = frozenset(["lowerAscii", "upperAscii", "substring", "trim"])
_WALKED = frozenset(["isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"])
_ONE_STEP = frozenset(("kubernetes.Quantity", "kubernetes.Semver", "net.IP", "net.CIDR"))
_NOT_MODELLED = frozenset(("validate", "includes", "kubernetes.URL", "kubernetes.NamedFormat"))


class CostEstimator(Visitor[int]):
    """Estimates the cost of nodes: `visit` gives that of a node.

    `type_of` knows the type of each node, `size_at` the size of what is at a path from a variable.

    Raises:
        NotKnown: the node holds a call whose cost is not modelled.
    """

    def __init__(self, type_of: Callable[[Node], Type], size_at: Callable[[Path], Size | None]) -> None:
        self._type_of = type_of
        self._known = KnownSizes(type_of, size_at)

    def _const(self, node: Const) -> int:  # noqa: ARG002 - a literal costs nothing, whatever it is
        return 0

    def _struct(self, node: Struct) -> int:
        raise NotKnown(f"message {node.name} is not modelled")

    def _ident(self, node: Ident) -> int:
        found = self._known.local(node)
        self._known.paths[node] = found.path if found is not None else (node.name,)
        return 1

    def _select(self, node: Select) -> int:
        cost = self.visit(node.operand)
        if node.test:
            return cost
        kind = self._type_of(node.operand)
        self._known.paths[node] = (*self._known.path(node.operand), node.name)
        return cost + (kind_of(kind) in ("map", "var") or str(kind).startswith("kubernetes."))

    def _list(self, node: ListNode) -> int:
        cost = total(self.visit(item) for item in node.items)
        self._known.entries[node] = Entries("list", ONE, self._known.any_of(node.items))
        return added(cost, _NEW_LIST)

    def _map(self, node: MapNode) -> int:
        cost = total(self.visit(one) for key, value, _ in node.entries for one in (key, value))
        keys = self._known.any_of([key for key, _, _ in node.entries])
        self._known.entries[node] = Entries("map", keys, self._known.any_of([value for _, value, _ in node.entries]))
        return added(cost, _NEW_MAP)

    def _fold(self, node: Fold) -> int:
        binds = isinstance(node.range, ListNode) and not node.range.items and isinstance(node.condition, Const)
        cost = added(self.visit(node.range), self.visit(node.initial))
        bound = Local(
            self._known.path(node.initial), self._known.size(node.initial), self._known.entries_of(node.initial)
        )
        if binds:
            with_result = self._within({node.accumulator: bound}, (node.result,))
            self._known.copy(node, node.result)
            return added(cost, with_result[0])
        items = {node.accumulator: bound, **self._items(node)}
        condition, step = self._within(items, (node.condition, node.step))
        result = self._within({node.accumulator: bound}, (node.result,))
        many = self._known.size_or_unknown(node.range)
        if isinstance(node.initial, (ListNode, MapNode)):
            self._known.sizes[node] = many
            entries = self._known.entries_of(node.step)
            if entries is not None:
                self._known.entries[node] = entries
        elif isinstance(node.initial, Const):
            self._known.sizes[node] = ONE
        return total((cost, result[0], product(many.most, added(condition, step))))

    def _items(self, node: Fold) -> dict[str, Local]:
        """The variables of a comprehension that stand for what it goes through."""
        entries, path = self._known.entries_of(node.range), self._known.path(node.range)
        listed = (entries.kind if entries is not None else kind_of(self._type_of(node.range))) == "list"
        value = Local((*path, "@items" if listed else "@values"), entries.value if entries is not None else None, None)
        key = Local((*path, "@indices" if listed else "@keys"), entries.key if entries is not None else None, None)
        if node.second:
            return {node.item: key, node.second: value}
        return {node.item: value if listed else key}

    def _within(self, scope: dict[str, Local], nodes: tuple[Node, ...]) -> list[int]:
        for name, found in scope.items():
            self._known.locals.setdefault(name, []).append(found)
        costs = [self.visit(node) for node in nodes]
        for name in scope:
            self._known.locals[name].pop()
        return costs

    def _call(self, node: Call) -> int:
        name = node.function
        if name in _NOT_MODELLED:
            raise NotKnown(f"the cost of {name} is not modelled")
        costs = [self.visit(arg) for arg in node.args]
        if name == "_?_:_":
            return self._conditional(node, costs)
        below = total([*costs, self.visit(node.target) if node.target is not None else 0])
        if name in ("_&&_", "_||_"):
            return below
        if name == "dyn":
            self._known.copy(node, node.args[0])
            return added(below, 1)
        size: Size | None = None
        cost = 0
        for overload in node.overloads or [()]:
            found = self._overload(node, overload)
            cost = max(cost, found.cost)
            if found.size is not None:
                size = found.size if size is None else size.or_else(found.size)
            if name == "_[_]" and kind_of(overload[0]) in ("list", "map"):
                entries = self._known.entries_of(node.args[0])
                size = entries.value if entries is not None else None
                inner = "@items" if kind_of(overload[0]) == "list" else "@values"
                self._known.paths[node] = (*self._known.path(node.args[0]), inner)
            size = size if size is not None else self._known.size(node)
        if size is not None:
            self._known.sizes[node] = size
        return added(below, cost)

    def _conditional(self, node: Call, costs: list[int]) -> int:
        _, yes, no = node.args
        self._known.sizes[node] = self._known.size_or_unknown(yes).or_else(self._known.size_or_unknown(no))
        self._known.join_entries(node, yes, no)
        return added(costs[0], max(costs[1:]))

    def _overload(self, node: Call, given: tuple[Type, ...]) -> Estimate:
        """The cost of a call of a function with arguments of some types."""
        name, args = node.function, node.args
        if name in _PLAIN or (name == "ip" and node.target is not None):
            return Estimate(1)
        if name in ("_==_", "_!=_"):
            return self._equality(node)
        if name in ("_<_", "_<=_", "_>_", "_>=_") and given[0] in ("string", "bytes"):
            return Estimate(scaled(min(self._known.size_or_unknown(arg).most for arg in args), TEXT))
        if name == "_+_" and kind_of(given[0]) in ("string", "bytes", "list"):
            both = self._known.size_or_unknown(args[0]).plus(self._known.size_or_unknown(args[1]))
            self._known.join_entries(node, args[0], args[1])
            return Estimate(1 if kind_of(given[0]) == "list" else scaled(both.most, TEXT), both)
        if name == "@in" and kind_of(given[1]) == "list":
            return Estimate(self._known.size_or_unknown(args[1]).most)
        if name.startswith("sets."):
            many = self._known.size_or_unknown(args[0]).times(self._known.size_or_unknown(args[1])).most
            return Estimate(added(product(many, 2 if name == "sets.equivalent" else 1), 1))
        if kind_of(given[0] if given else "") == "list" and name in _LISTS:
            return self._new_list(node, given)
        return self._of_text(node, given)

    def _equality(self, node: Call) -> Estimate:
        kinds = [self._type_of(arg) for arg in node.args]
        if kinds[0] in _NOT_MODELLED:
            raise NotKnown(f"the cost of comparing {kinds[0]} is not modelled")
        if node.function == "_==_" and kinds[0] == kinds[1] and kinds[0] in _ONE_STEP:
            return Estimate(1)
        return Estimate(scaled(min(self._known.size_or_unknown(arg).most for arg in node.args), TEXT))

    def _new_list(self, node: Call, given: tuple[Type, ...]) -> Estimate:
        """The cost of a call that makes a list of another one."""
        size, name = self._known.size_or_unknown(node.target or node.args[0]), node.function
        factor = 1.0
        if name == "slice":
            first, last = number(node.args[0], 0), number(node.args[1], size.most)
            size = Size((last - first) % (MOST + 1), (last - first) % (MOST + 1))
        elif name == "flatten" and node.args:
            factor = float(number(node.args[0], MOST))
        elif name in ("distinct", "sort"):
            size = size.times(size)
            factor = 2.1 if name == "sort" and given[0][1] in ("string", "bytes") else 2.0
        return Estimate(added(scaled(size.most, factor), 1 + _NEW_LIST), size)

    def _of_text(self, node: Call, given: tuple[Type, ...]) -> Estimate:
        """The cost of a call that goes through a text, or through a list; one step for all others."""
        name, target = node.function, node.target
        first = self._known.size_or_unknown(node.args[0]) if node.args else UNKNOWN
        own = self._known.size_or_unknown(target) if target is not None else UNKNOWN
        if name in _PARSED:
            return Estimate(scaled(first.most, TEXT), first if name == "url" else None)
        if name == "ip.isCanonical":
            return Estimate(scaled(first.most, 2 * TEXT))
        if name in ("containsIP", "containsCIDR"):
            more = scaled(first.most, TEXT) if given[1] == "string" else 0
            return Estimate(added(4 if name == "containsIP" else 7, more))
        if name == "lists.range":
            size = Size(number(node.args[0], MOST), number(node.args[0], MOST))
            return Estimate(added(size.most, 1 + _NEW_LIST), size)
        if name in ("bytes", "string", "strings.quote"):
            return converted(name, given, first)
        if target is None:
            return Estimate(1)
        if name in _REWRITTEN:
            return Estimate(scaled(own.most, TEXT), own)
        if name in _WALKED:
            return self._walked(target, own)
        if name == "replace":
            return Estimate(scaled(own.most, 2 * TEXT), replaced(own, first, self._known.size_or_unknown(node.args[1])))
        if name == "split":
            most = number(node.args[1], own.most) if len(node.args) > 1 else own.most
            return Estimate(scaled(own.most, 2 * TEXT), Size(0, most % (MOST + 1)))
        if name == "join":
            size = own.times(self._known.item_size(target))
            if node.args:
                size = size.plus(first.times(Size(max(0, own.least - 1), max(0, own.most - 1))))
            return Estimate(scaled(size.most, TEXT), size)
        if name in ("find", "findAll", "matches"):
            cost = product(scaled(added(own.most, 1), TEXT), scaled(first.most, _PATTERN))
            return Estimate(cost, Size(0, own.most) if name != "matches" else None)
        if name == "contains":
            return Estimate(product(scaled(own.most, TEXT), scaled(first.most, TEXT)))
        if name in ("startsWith", "endsWith"):
            return Estimate(scaled(first.most, TEXT))
        return Estimate(scaled(own.most, TEXT) if name == "format" else 1)

    def _walked(self, target: Node, own: Size) -> Estimate:
        kind = self._type_of(target)
        if not isinstance(kind, tuple):
            return Estimate(scaled(own.most, TEXT))
        each = 1
        if kind[1] in ("string", "bytes"):
            each = added(each, scaled(self._known.item_size(target).most, TEXT))
        return Estimate(product(own.most, each))


_LISTS = frozenset(("slice", "flatten", "reverse", "distinct", "sort"))
