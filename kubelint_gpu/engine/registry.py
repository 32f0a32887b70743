"""Finds all rules: each folder `rules/KLGnnn-name/` has a module `name.py` with the function of its code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import lru_cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from kubelint_gpu.findings.catalogue import BrokenRule, folders

if TYPE_CHECKING:
    from kubelint_gpu.engine.diagnostic import Diagnostic
    from kubelint_gpu.engine.suppressions import Closing
    from kubelint_gpu.workspace.apply_set import ApplySet
    from kubelint_gpu.workspace.cluster_context import ClusterContext

Check = Callable[["ApplySet"], Iterable["Diagnostic"]]
WorldCheck = Callable[["ClusterContext"], Iterable["Diagnostic"]]
ClosingCheck = Callable[["ApplySet", "Closing"], Iterable["Diagnostic"]]
UnjudgedCheck = Callable[["ApplySet", Sequence[str]], Iterable["Diagnostic"]]
_Any = TypeVar("_Any", bound="Check | WorldCheck | ClosingCheck | UnjudgedCheck")
_Checks = tuple[dict[str, Check], dict[str, WorldCheck], dict[str, ClosingCheck], dict[str, UnjudgedCheck]]
_CHECKS: dict[str, Check] = {}
_OF_ANYTHING: set[str] = set()
_WORLD_CHECKS: dict[str, WorldCheck] = {}
_CLOSING_CHECKS: dict[str, ClosingCheck] = {}
_UNJUDGED_CHECKS: dict[str, UnjudgedCheck] = {}
_KNOWN: tuple[dict[str, Any], ...] = (_CHECKS, _WORLD_CHECKS, _CLOSING_CHECKS, _UNJUDGED_CHECKS)
_PACKAGE = "kubelint_gpu.rules"


_LOADING: list[str] = []


def rule(code: str, *, of_workloads: bool = False) -> Callable[[Check], Check]:
    """Register the function that returns the findings of a rule in one unit of manifests.

    With `of_workloads` it is skipped for units without workloads.
    """
    if not of_workloads:
        _OF_ANYTHING.add(code)
    return lambda check: _registered(_CHECKS, code, check)


def world_rule(code: str) -> Callable[[WorldCheck], WorldCheck]:
    """Register the function that returns the findings of a rule about the inventory, once in a run."""
    return lambda check: _registered(_WORLD_CHECKS, code, check)


def closing_rule(code: str) -> Callable[[ClosingCheck], ClosingCheck]:
    """Register the function that checks a unit's suppressions after everything else."""
    return lambda check: _registered(_CLOSING_CHECKS, code, check)


def unjudged_rule(code: str) -> Callable[[UnjudgedCheck], UnjudgedCheck]:
    """Register the function that reports the rules, by code, for which too little work was left in a unit."""
    return lambda check: _registered(_UNJUDGED_CHECKS, code, check)


def checks() -> dict[str, Check]:
    """All rules about manifests: the function by code, in the order of codes."""
    return _found()[0]


def checks_for(unit: ApplySet) -> dict[str, Check]:
    """The rules that may find something in a unit; all if reading its workloads fails, so that each reports that."""
    with suppress(Exception):
        return checks() if unit.subjects else checks_of_anything()
    return checks()


@lru_cache(maxsize=1)
def checks_of_anything() -> dict[str, Check]:
    """The rules that may find something without a workload."""
    return {code: check for code, check in checks().items() if code in _OF_ANYTHING}


def world_checks() -> dict[str, WorldCheck]:
    """All rules about the inventory: the function by code, in the order of codes."""
    return _found()[1]


def closing_checks() -> dict[str, ClosingCheck]:
    """All rules about suppressions: the function by code, in the order of codes."""
    return _found()[2]


def unjudged_checks() -> dict[str, UnjudgedCheck]:
    """Return all rules about unjudged questions, by code in ascending order."""
    return _found()[3]


def codes() -> frozenset[str]:
    """The codes of all rules that the program knows."""
    return frozenset((*checks(), *world_checks(), *closing_checks(), *unjudged_checks()))


@lru_cache(maxsize=1)
def _found() -> _Checks:
    for code, folder in folders().items():
        _load(code, folder)
    return cast("_Checks", tuple(dict(sorted(one.items())) for one in _KNOWN))


def _load(code: str, folder: Path) -> None:
    """Import the module of a rule; its bytecode is cached as for any other module.

    Raises:
        BrokenRule: the folder does not have the required form.
    """
    name = folder.name.partition("-")[2].replace("-", "_")
    path = f"{folder}/{name}.py"
    spec = spec_from_file_location(f"{_PACKAGE}.{name}", path)
    if spec is None or spec.loader is None or spec.name in sys.modules:
        return
    module = module_from_spec(spec)
    sys.modules[spec.name] = module
    _LOADING.append(code)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[spec.name]
        for known in _KNOWN:
            known.pop(code, None)
        if isinstance(error, FileNotFoundError) and error.filename == path:
            raise BrokenRule(f"{path}: the folder of a rule has a module of this name, and there is none") from None
        raise BrokenRule(f"{path}: {type(error).__name__}: {error}") from error
    finally:
        _LOADING.pop()
    if not any(code in known for known in _KNOWN):
        del sys.modules[spec.name]
        raise BrokenRule(f'{path}: no function is decorated with @rule("{code}")')


def _registered(known: dict[str, _Any], code: str, check: _Any) -> _Any:
    # a rule may also report what was left out, which has a table of its own
    unjudged = known is _UNJUDGED_CHECKS
    if any(code in one for one in _KNOWN if (one is _UNJUDGED_CHECKS) == unjudged):
        raise ValueError(f"{code} is registered twice")
    if code not in _LOADING:
        raise ValueError(f"{code} is not the code of the folder")
    known[code] = check
    return check
