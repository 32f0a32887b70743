"""Immutable values: what `dataclasses.dataclass(frozen=True, slots=True)` makes, without its price at import.

The standard library compiles half a dozen methods for each class when its module is imported: two thirds of the time of
a short run of this program.
Here the constructor is compiled when the first value is made, and the other methods are shared.
The names, arguments and behaviour are those of the standard library, which is also what type checkers see.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
else:
    _MISSING = object()
    _HASH = "_value_hash"  # computed once: values are keys, and deep ones are dear to hash

    class _Field:
        """One attribute of a class of values."""

        __slots__ = ("compare", "default", "default_factory", "name", "repr")

        def __init__(self, default: Any, default_factory: Any, compare: bool, repr: bool) -> None:  # noqa: A002
            self.name = ""
            self.default = default
            self.default_factory = default_factory
            self.compare = compare
            self.repr = repr

    def field(*, default=_MISSING, default_factory=_MISSING, compare=True, repr=True):  # noqa: A002
        """An attribute with a default that is made anew, or that equality or `repr` leave out."""
        return _Field(default, default_factory, compare, repr)

    def fields(of):
        """The attributes of a class of values, or of a value, in order."""
        return of.__value_fields__

    def replace(value, /, **changes):
        """The same value with some attributes changed."""
        for found in value.__value_fields__:
            name = found.name
            if name not in changes:
                changes[name] = getattr(value, name)
        return value.__class__(**changes)

    def dataclass(*, slots, frozen=False, eq=True, order=False):
        """Make a class of values from its annotated attributes; immutable ones unless `frozen` is left out."""
        if not slots:
            raise TypeError("values have slots")
        return lambda cls: _made(cls, frozen=frozen, eq=eq, order=order)

    def _made(cls, *, frozen, eq, order):
        namespace = dict(cls.__dict__)
        own = []
        for name in namespace.get("__annotations__", {}):
            default = namespace.pop(name, _MISSING)
            found = default if isinstance(default, _Field) else _Field(default, _MISSING, True, True)
            found.name = name
            own.append(found)
        above = [base.__dict__.get("__value_fields__", ()) for base in reversed(cls.__mro__[1:])]
        every = tuple({found.name: found for fields in (*above, own) for found in fields}.values())
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        namespace["__slots__"] = tuple(found.name for found in own)
        if frozen and not any(hasattr(base, _HASH) for base in cls.__mro__[1:]):
            namespace["__slots__"] += (_HASH,)
        namespace["__value_fields__"] = every
        namespace["__match_args__"] = tuple(found.name for found in every)
        namespace.setdefault("__init__", _first_init)
        if frozen:
            namespace["__setattr__"] = _refuse_setattr
            namespace["__delattr__"] = _refuse_delattr
        namespace.setdefault("__repr__", _repr)
        namespace.setdefault("__reduce__", _reduce)
        if eq:
            compared = [found.name for found in every if found.compare]
            key = attrgetter(*compared) if compared else lambda _value: ()
            namespace["__value_key__"] = staticmethod(key)
            namespace.setdefault("__eq__", _eq)
            namespace.setdefault("__hash__", _hash if frozen else None)
        if order:
            namespace.update(__lt__=_lt, __le__=_le, __gt__=_gt, __ge__=_ge)
        made = type(cls)(cls.__name__, cls.__bases__, namespace)
        made.__qualname__ = cls.__qualname__
        return made

    def _first_init(self, *args, **kwargs):
        cls = type(self)
        while "__init__" not in cls.__dict__ or cls.__dict__["__init__"] is not _first_init:
            cls = cls.__mro__[1]
        init = _compiled(cls)
        cls.__init__ = init
        init(self, *args, **kwargs)

    def _compiled(cls):
        scope = {"_set": object.__setattr__}
        parameters, lines = ["self"], []
        for number, found in enumerate(cls.__value_fields__):
            name, value = found.name, found.name
            if found.default_factory is not _MISSING:
                scope[f"_d{number}"] = found.default_factory
                scope["_missing"] = _MISSING
                parameters.append(f"{name}=_missing")
                value = f"_d{number}() if {name} is _missing else {name}"
            elif found.default is not _MISSING:
                scope[f"_d{number}"] = found.default
                parameters.append(f"{name}=_d{number}")
            else:
                parameters.append(name)
            lines.append(f" _set(self, {name!r}, {value})")
        source = f"def __init__({', '.join(parameters)}):\n" + ("\n".join(lines) or " pass")
        exec(source, scope)  # noqa: S102 - the names are those of attributes in this program
        return scope["__init__"]

    def _repr(self):
        shown = ", ".join(
            f"{found.name}={getattr(self, found.name)!r}" for found in self.__value_fields__ if found.repr
        )
        return f"{type(self).__qualname__}({shown})"

    def _eq(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self.__value_key__(self) == self.__value_key__(other)

    def _hash(self):
        try:
            return getattr(self, _HASH)
        except AttributeError:
            found = hash(self.__value_key__(self))
            object.__setattr__(self, _HASH, found)
            return found

    def _reduce(self):
        return type(self), tuple(getattr(self, found.name) for found in self.__value_fields__)

    def _refuse_setattr(self, name, _value):
        raise AttributeError(f"cannot assign to field {name!r}")

    def _refuse_delattr(self, name):
        raise AttributeError(f"cannot delete field {name!r}")

    def _ordering(compare):
        def method(self, other):
            if type(self) is not type(other):
                return NotImplemented
            return compare(_tuple(self), _tuple(other))

        return method

    def _tuple(self):
        return tuple(getattr(self, found.name) for found in self.__value_fields__ if found.compare)

    _lt = _ordering(lambda one, other: one < other)
    _le = _ordering(lambda one, other: one <= other)
    _gt = _ordering(lambda one, other: one > other)
    _ge = _ordering(lambda one, other: one >= other)


__all__ = ["dataclass", "field", "fields", "replace"]
