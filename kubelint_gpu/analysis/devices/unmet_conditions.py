"""Which condition of a selector no device meets, and the values that the devices have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.budget import TOLD
from kubelint_gpu.documents import Pointer
from kubelint_gpu.kube.values.quantity import shown
from kubelint_gpu.messages.did_you_mean_label import nearest_value
from kubelint_gpu.messages.wording import begun, counted, listed
from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.asked_values import AskedValues, Path
    from kubelint_gpu.kube.dra.sight import Subject


class Fault(Value):
    """The part of a claim that fails.

    Attributes:
        below: the field, below `devices` in the shape of v1.
        text: what is wrong, as a clause.
        offset: its position in an expression; None if it is not part of one.
        wanted: the literal that no device has; empty if there is none.
        near: the value that was probably meant; empty if none is similar.
        help: what to do; empty if the rule says it.
    """

    below: Pointer
    text: str
    offset: int | None = None
    wanted: str = ""
    near: str = ""
    help: str = ""


def unmet(expression: str, subjects: Sequence[Subject], of: str, *, shareable: bool) -> Fault:
    """The first condition of an expression that no device meets that meets all conditions before it."""
    from kubelint_gpu.kube.dra.asked_values import conditions_of

    kept = subjects
    for condition in conditions_of(expression, shareable=shareable):
        has = [one for one in kept if condition.holds(one)]
        if not has:
            more = " with what stands before it" if len(kept) < len(subjects) else ""
            if condition.asks.paths:
                return _fault(condition.asks, kept, f"no device {of}{more}")
            break
        kept = has
    return Fault((), f"none of the {counted(len(subjects), 'device')} {of} satisfies it")


def _fault(asks: AskedValues, subjects: Sequence[Subject], none: str) -> Fault:
    from kubelint_gpu.kube.dra.asked_values import CONTAINS, ENDS, STARTS

    names = [path[2] for path in asks.paths]
    had = [values_of(subjects, path) for path in asks.paths]
    told = [begun([_have(times, one) for one, times in values.items()], "value") for values in had]
    if asks.relation is None:
        several = len(names) > 1
        found = [f"{name}: {one}" if several else one for name, one in zip(names, told, strict=True) if one]
        text = f"{none} satisfies the condition about {listed(names)}"
        return Fault((), "; ".join([text, *found]))
    comparable = asks.literals if asks.as_it_is and asks.relation in ("", STARTS, ENDS, CONTAINS) else ()
    near, meant = nearest_value([str(one.value) for one in comparable], [value for value, _ in had[0]])
    asked = [written(one.value, is_text=one.is_text) for one in asks.literals]
    more = len(asked) - TOLD.values + 1
    asked[TOLD.values - 1 :] = [f"{more} others"] if more > 1 else asked[TOLD.values - 1 :]
    text = f"{none} has {names[0]}"
    if asked and told[0]:
        text += f" {asks.relation}{listed(asked, 'or')}; {told[0]}"
    literals = sorted(asks.literals, key=lambda one: str(one.value) != meant)
    if not literals:
        return Fault((), text)
    return Fault((), text, literals[0].offset, str(literals[0].value), near)


def _have(times: int, value: tuple[str, bool]) -> str:

    return f"{times} {'has' if times == 1 else 'have'} {written(value[0], is_text=value[1])}"


def values_of(subjects: Sequence[Subject], path: Path) -> dict[tuple[str, bool], int]:
    """The values of devices at a path, and whether each is a text, with their numbers; the most frequent first."""
    from kubelint_gpu.kube.dra.asked_values import DRIVER
    from kubelint_gpu.kube.dra.device import Attribute, qualified

    kind, *wanted = path
    found: Counter[tuple[str, bool]] = Counter()
    for subject in subjects:
        if path == DRIVER:
            found[subject.driver, True] += 1
            continue
        parts: Mapping[str, object] = subject.attributes if kind == "attributes" else subject.capacity
        for name, one in parts.items():
            if [*qualified(name, subject.driver)] == wanted:
                value = one.value if isinstance(one, Attribute) else shown_amount(one)
                found[written(value), isinstance(one, Attribute) and one.kind == "string"] += 1
    return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def written(value: object, *, is_text: bool = False) -> str:
    """Format a value: a text in quotes, `false` as in an expression."""
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return f"'{text}'" if is_text else text


def shown_amount(amount: object) -> str:
    """Format an amount as a quantity: `80Gi`, `24`."""
    return shown("memory", amount) if isinstance(amount, int) else str(amount)
