"""Rules find themselves: a function in any module of `checks/`, decorated with the code of its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubelint_gpu.checks.draft import Draft
    from kubelint_gpu.checks.unit import Unit

Check = Callable[["Unit"], Iterable["Draft"]]
_CHECKS: dict[str, Check] = {}
_FAMILIES = "families"


def rule(code: str) -> Callable[[Check], Check]:
    """Register the function that finds what the rule of this code is about."""

    def register(check: Check) -> Check:
        if _CHECKS.setdefault(code, check) is not check:
            raise ValueError(f"{code} is registered twice")
        return check

    return register


@lru_cache(maxsize=1)
def checks() -> dict[str, Check]:
    """Every rule's function by code, in the order of codes."""
    folder = Path(__file__).parent / _FAMILIES
    for module in sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__"):
        import_module(f"kubelint_gpu.checks.{_FAMILIES}.{module}")
    return dict(sorted(_CHECKS.items()))
