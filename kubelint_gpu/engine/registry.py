"""Rules find themselves: a function in any module of `families/`, decorated with the code of its folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from kubelint_gpu.engine.diagnostic import Diagnostic
    from kubelint_gpu.engine.suppressions import Closing
    from kubelint_gpu.workspace.apply_set import ApplySet
    from kubelint_gpu.workspace.cluster_context import ClusterContext

Check = Callable[["ApplySet"], Iterable["Diagnostic"]]
WorldCheck = Callable[["ClusterContext"], Iterable["Diagnostic"]]
ClosingCheck = Callable[["ApplySet", "Closing"], Iterable["Diagnostic"]]
_Any = TypeVar("_Any", bound="Check | WorldCheck | ClosingCheck")
_CHECKS: dict[str, Check] = {}
_WORLD_CHECKS: dict[str, WorldCheck] = {}
_CLOSING_CHECKS: dict[str, ClosingCheck] = {}
_FAMILIES = "families"


def rule(code: str) -> Callable[[Check], Check]:
    """Register the function that finds what the rule of this code is about in one unit of manifests."""
    return lambda check: _registered(_CHECKS, code, check)


def world_rule(code: str) -> Callable[[WorldCheck], WorldCheck]:
    """Register the function that finds what the rule of this code is about in the inventory, once in a run."""
    return lambda check: _registered(_WORLD_CHECKS, code, check)


def closing_rule(code: str) -> Callable[[ClosingCheck], ClosingCheck]:
    """Register the function that looks at a unit's suppressions when all else is found."""
    return lambda check: _registered(_CLOSING_CHECKS, code, check)


def checks() -> dict[str, Check]:
    """Every rule about manifests: its function by code, in the order of codes."""
    return _found()[0]


def world_checks() -> dict[str, WorldCheck]:
    """Every rule about the inventory: its function by code, in the order of codes."""
    return _found()[1]


def closing_checks() -> dict[str, ClosingCheck]:
    """Every rule about suppressions: its function by code, in the order of codes."""
    return _found()[2]


def codes() -> frozenset[str]:
    """The codes of all rules that the program knows."""
    return frozenset((*checks(), *world_checks(), *closing_checks()))


@lru_cache(maxsize=1)
def _found() -> tuple[dict[str, Check], dict[str, WorldCheck], dict[str, ClosingCheck]]:
    folder = Path(__file__).parent.parent / _FAMILIES
    for module in sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__"):
        import_module(f"kubelint_gpu.{_FAMILIES}.{module}")
    return dict(sorted(_CHECKS.items())), dict(sorted(_WORLD_CHECKS.items())), dict(sorted(_CLOSING_CHECKS.items()))


def _registered(known: dict[str, _Any], code: str, check: _Any) -> _Any:
    others = {**_CHECKS, **_WORLD_CHECKS, **_CLOSING_CHECKS}
    if others.get(code, check) is not check:
        raise ValueError(f"{code} is registered twice")
    known[code] = check
    return check
