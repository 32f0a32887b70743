"""The values of devices in one of their attributes or capacities, formatted for messages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kubelint_gpu.kube.values.quantity import shown

if TYPE_CHECKING:
    from kubelint_gpu.kube.dra.asked_values import Path
    from kubelint_gpu.kube.dra.sight import Subject


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
