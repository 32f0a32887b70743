"""Regular expressions that are compiled when they are first used: most runs need few of those that the program has.

What `re` makes of those that a run has used is kept with the modules; the next one hands it to the interpreter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubelint_gpu import modules

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")
_used: set[tuple[str, int]] = set()

if TYPE_CHECKING:
    from re import compile as pattern
else:

    class pattern:  # noqa: N801 - it stands for re.compile
        """What `re.compile` gives, compiled with the first call of a method."""

        __slots__ = ("_flags", "_text", *_METHODS)

        def __init__(self, text: str, flags: int = 0) -> None:
            self._text = text
            self._flags = int(flags)

        def __getattr__(self, name: str) -> Any:
            if name not in _METHODS:
                raise AttributeError(name)
            made = _made(self._text, self._flags)
            for method in _METHODS:
                setattr(self, method, getattr(made, method))
            return getattr(self, name)

    def _made(text: str, flags: int) -> Any:
        held = modules.patterns.get((text, flags))
        if held is not None:
            import _sre
            import marshal

            return _sre.compile(*marshal.loads(held))  # noqa: S302 - of what modules are read from
        import re

        made = re.compile(text, flags)
        _used.add((text, flags))
        return made


def made_of_used() -> dict[tuple[str, int], bytes]:
    """What `re` made of the expressions that were compiled here, by text and flags; nothing where it cannot be had."""
    import re

    compiler: Any = getattr(re, "_compiler", None) or getattr(re, "sre_compile", None)  # the second in Python 3.10
    if not hasattr(compiler, "_sre"):
        return {}
    return {(text, flags): _handed_on(compiler, text, flags) for text, flags in sorted(_used)}


def _handed_on(compiler: Any, text: str, flags: int) -> bytes:
    """What the compiler of `re` hands to the interpreter, which makes the expression of it."""
    import marshal

    handed: list[Any] = []
    interpreter = compiler._sre  # noqa: SLF001 - there is no other way to what is handed on

    class Between:
        """Notes it, and hands it on."""

        def __getattr__(self, name: str) -> Any:
            return getattr(interpreter, name)

        def compile(self, *arguments: Any) -> Any:
            # the numbers of a program have names that are not kept
            handed.extend([int(code) for code in one] if isinstance(one, list) else one for one in arguments)
            return interpreter.compile(*arguments)

    compiler._sre = Between()  # noqa: SLF001 - same
    try:
        compiler.compile(text, flags)
    finally:
        compiler._sre = interpreter  # noqa: SLF001 - same
    return marshal.dumps(handed)


modules.made_patterns.append(made_of_used)

__all__ = ["made_of_used", "pattern"]
