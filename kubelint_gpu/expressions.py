"""What regular expressions compile to, as it is kept with the modules: compiling them takes a twentieth of a short run.

Kept are those that modules compile when they are imported, and those of this program (`patterns.py`): nothing that is
made of a manifest. Releases of Python before 3.11 compile each of them anew.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from functools import partial
from typing import Any

_OF_THE_PROGRAM = ("<module>", "pattern.__getattr__")
_CALLER = 3  # above `re.compile` and what it calls

Expression = tuple[str, str | bytes, int]
"""What it is made of, text or bytes, and its flags."""
Compiled = tuple[int, bytes, int, dict[str, int], tuple[str | None, ...]]
"""All flags, the steps of the automaton, and the groups: how many, by name, and their names."""

_known: dict[Expression, Compiled | None] = {}


def use(kept: Mapping[Expression, Compiled]) -> None:
    """Take from now on what was kept in place of compiling it."""
    compiler: Any = sys.modules.get(f"{re.__name__}._compiler")
    if compiler is not None:
        _known.update(kept)
        compiler.compile = partial(_expression, compiler.compile, compiler._sre.compile)  # noqa: SLF001


def _expression(anew: Any, of_steps: Any, text: Any, flags: int = 0) -> re.Pattern[Any]:
    key = (text.__class__.__name__, text, flags)
    found = _known.get(key)
    if found is None:
        made: re.Pattern[Any] = anew(text, flags)
        caller: Any = sys._getframe(_CALLER).f_code  # noqa: SLF001
        if caller.co_qualname in _OF_THE_PROGRAM:
            _known[key] = None
        return made
    all_flags, steps, *groups = found
    made = of_steps(text, all_flags, memoryview(steps).cast("I").tolist(), *groups)
    return made  # noqa: RET504


def compiled() -> dict[Expression, Compiled]:
    """What this run has compiled or taken."""
    return {key: found or _compiled(*key[1:]) for key, found in _known.items()}


def _compiled(text: str | bytes, flags: int) -> Compiled:
    from array import array

    compiler: Any = sys.modules[f"{re.__name__}._compiler"]
    parsed = compiler._parser.parse(text, flags)  # noqa: SLF001
    state = parsed.state
    names = {number: name for name, number in state.groupdict.items()}
    steps = array("I", compiler._code(parsed, flags)).tobytes()  # noqa: SLF001
    groups = (state.groups - 1, state.groupdict, tuple(map(names.get, range(state.groups))))
    return flags | state.flags, steps, *groups
