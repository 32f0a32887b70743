"""Label selectors and node selectors: what they match.

Behaviour: apimachinery `labels.Requirement`, `metav1.LabelSelectorAsSelector`, component-helpers `nodeaffinity`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from kubelint_gpu.kube.values.errors import Pointer, is_placeholder
from kubelint_gpu.kube.values.fields import Fields, is_label_value, is_qualified_name
from kubelint_gpu.patterns import pattern
from kubelint_gpu.values import Value, replace

_INT64 = pattern(r"[+-]?[0-9]+", re.ASCII)
_LABEL_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_NODE_OPERATORS = (*_LABEL_OPERATORS, "Gt", "Lt")
NODE_NAME_FIELD = "metadata.name"


def parse_int64(text: str) -> int | None:
    """A base-10 int64 as Go's ParseInt reads it, or None."""
    if _INT64().fullmatch(text) is None or len(text) > 20:
        return None
    number = int(text)
    return number if -(2**63) <= number < 2**63 else None


class Requirement(Value):
    """One expression of a selector; an absent label only satisfies `NotIn` and `DoesNotExist`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels satisfy this expression."""
        value = labels.get(self.key)
        operator = self.operator
        if operator == "In":
            return value is not None and value in self.values
        if operator == "NotIn":
            return value is None or value not in self.values
        if operator == "Exists":
            return value is not None
        if operator == "DoesNotExist":
            return value is None
        if value is None or len(self.values) != 1:
            return False
        left, right = parse_int64(value), parse_int64(self.values[0])
        if left is None or right is None:
            return False
        return left > right if operator == "Gt" else left < right

    def __str__(self) -> str:
        if self.operator in ("Exists", "DoesNotExist"):
            return f"{self.key} {self.operator}"
        shown = ", ".join(value or '""' for value in self.values)
        return f"{self.key} {self.operator} [{shown}]"


class LabelSelector(Value):
    """The conjunction of some requirements; without any it matches everything.

    An absent selector is `None` and matches nothing.
    """

    requirements: tuple[Requirement, ...] = ()

    def matches(self, labels: Mapping[str, str]) -> bool:
        """Whether the labels satisfy every requirement."""
        return all(requirement.matches(labels) for requirement in self.requirements)

    def having(self, more: Iterable[Requirement]) -> LabelSelector:
        """This selector with further requirements."""
        return replace(self, requirements=(*self.requirements, *more))

    @property
    def keys(self) -> frozenset[str]:
        """The label keys it looks at."""
        return frozenset(requirement.key for requirement in self.requirements)


class NodeSelectorTerm(Value):
    """Expressions on labels and fields on the node's name, all of which must hold.

    An empty term matches no node. Neither does one that the scheduler cannot parse (`Gt` of a text that is no integer),
    although the API server accepts it.
    """

    expressions: tuple[Requirement, ...] = ()
    fields: tuple[Requirement, ...] = ()

    @property
    def parses(self) -> bool:
        """Whether the scheduler can build this term."""
        return all(_parses(requirement) for requirement in self.expressions)

    def matches(self, labels: Mapping[str, str], name: str | None) -> bool:
        """Whether a node with these labels and this name matches; without a name `fields` are ignored."""
        if not self.expressions and not self.fields:
            return False
        for requirement in self.expressions:
            if not requirement.matches(labels):
                return False
        if name is not None and not all(requirement.matches({NODE_NAME_FIELD: name}) for requirement in self.fields):
            return False
        return self.parses


class NodeSelector(Value):
    """The disjunction of some terms; without a term it matches no node."""

    terms: tuple[NodeSelectorTerm, ...] = ()

    def matches(self, labels: Mapping[str, str], name: str | None) -> bool:
        """Whether any term matches."""
        return any(term.matches(labels, name) for term in self.terms)


def read_label_selector(fields: Fields | None) -> LabelSelector | None:
    """A `metav1.LabelSelector`; `{}` matches everything and an absent one, None, nothing.

    Raises:
        InvalidObject: an operator is unknown, or has the wrong number of values.
    """
    if fields is None:
        return None
    equalities = [
        Requirement(key, "In", (value,))
        for key, value in sorted(fields.labels("matchLabels").items())
        if _is_label(fields, key, value)
    ]
    expressions = [_requirement(child, _LABEL_OPERATORS) for child in fields.children("matchExpressions")]
    return LabelSelector((*equalities, *(found for found in expressions if found is not None)))


def _is_label(fields: Fields, key: str, value: str) -> bool:
    where = ("matchLabels", key)
    return (is_qualified_name(key) or _may_be(fields, where, f'"{key}" is not a label key', key)) and (
        is_label_value(value) or _may_be(fields, where, f'"{value}" is not a label value', value)
    )


def _may_be(fields: Fields, where: Pointer, detail: str, value: str) -> bool:
    """Whether an invalid text is a placeholder: until it is filled in, it equals texts with the same spelling."""
    fields.report(where, detail, value)
    return is_placeholder(value)


def read_node_selector(fields: Fields) -> NodeSelector:
    """A `v1.NodeSelector`. Raises InvalidObject if an operator is unknown, or has the wrong number of values."""
    return NodeSelector(tuple(read_node_selector_term(child) for child in fields.children("nodeSelectorTerms")))


def read_node_selector_term(fields: Fields, *, preferred: bool = False) -> NodeSelectorTerm:
    """One `v1.NodeSelectorTerm`; the values of a preferred one need not be label values."""
    expressions = [
        _requirement(child, _NODE_OPERATORS, any_value=preferred) for child in fields.children("matchExpressions")
    ]
    names = [_field_requirement(child) for child in fields.children("matchFields")]
    return NodeSelectorTerm(
        tuple(found for found in expressions if found is not None), tuple(found for found in names if found is not None)
    )


def _parses(requirement: Requirement) -> bool:
    if requirement.operator in ("Gt", "Lt"):
        return len(requirement.values) == 1 and parse_int64(requirement.values[0]) is not None
    return all(is_label_value(value) for value in requirement.values)


def _requirement(fields: Fields, operators: tuple[str, ...], *, any_value: bool = False) -> Requirement | None:
    key = fields.text("key")
    operator = fields.text("operator")
    values = fields.texts("values")
    if operator not in operators:
        named = ", ".join(operators)
        found = f'"{operator}"' if operator else "an empty operator"
        fields.report(("operator",), f"{found} is not a selector operator; use one of {named}", operator)
        return None
    if not is_qualified_name(key) and not _may_be(fields, ("key",), f'"{key}" is not a label key', key):
        return None
    if operator in ("In", "NotIn") and not values:
        if fields.value.get("values"):
            # entries that are no text are told already
            return None
        fields.report(("values",), "must be specified when `operator` is 'In' or 'NotIn'", values)
        return None
    if operator in ("Exists", "DoesNotExist") and values:
        fields.report(("values",), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'", list(values))
        return None
    if operator in ("Gt", "Lt") and len(values) != 1:
        fields.report(("values",), "must be specified single value when `operator` is 'Lt' or 'Gt'", list(values))
        return None
    if operator in ("Gt", "Lt") and is_placeholder(values[0]):
        fields.report(("values", 0), "is filled in later", values[0])
    if operator not in ("Gt", "Lt") and not any_value:
        for index, value in enumerate(values):
            where: Pointer = ("values", index)
            if not is_label_value(value) and not _may_be(fields, where, f'"{value}" is not a label value', value):
                return None
    return Requirement(key, operator, values)


def _field_requirement(fields: Fields) -> Requirement | None:
    key, operator, values = fields.text("key"), fields.text("operator"), fields.texts("values")
    if key != NODE_NAME_FIELD:
        fields.report(("key",), f'"{key}" is not a valid field selector key; only metadata.name is', key)
        return None
    if operator not in ("In", "NotIn"):
        fields.report(("operator",), f'"{operator}" is not a valid selector operator; use In or NotIn', operator)
        return None
    if len(values) != 1:
        fields.report(
            ("values",),
            "must be only one value when `operator` is 'In' or 'NotIn' for node field selector",
            list(values),
        )
        return None
    if is_placeholder(values[0]):
        fields.report(("values", 0), "is filled in later", values[0])
    return Requirement(key, operator, values)
