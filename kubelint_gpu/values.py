"""Immutable values: what `dataclasses.dataclass(frozen=True, slots=True)` makes, without its price at import.

The standard library compiles half a dozen methods for each class when its module is imported: two thirds of the time of
a short run of this program.
Here the constructor is made with the first value, from code that classes of as many attributes share. It fills in a
value of a class of the same layout that is not frozen, and then says of which class it is.
A `NamedTuple` is made as cheaply: that of `typing` compiles every annotation.
The names, arguments and behaviour are those of the standard library, which is also what type checkers see.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter, ge, gt, le, lt
from types import FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dataclasses import dataclass, field, fields, replace
    from functools import cached_property as kept
    from typing import NamedTuple

    class Value:
        """The base that a class of values names where it has no other."""

        __slots__ = ()

else:
    from _collections import _tuplegetter

    _MISSING = object()
    _HASH = "_value_hash"  # computed once: values are keys, and deep ones are dear to hash
    _FEW = 8
    _filled = {}

    class field:  # noqa: N801 - it stands for the function of the standard library
        """One attribute of a class of values: its default, or how one is made; equality or `repr` may leave it out."""

        __slots__ = ("compare", "default", "default_factory", "name", "repr")

        def __init__(self, *, default=_MISSING, default_factory=_MISSING, compare=True, repr=True):  # noqa: A002
            self.name = ""
            self.default = default
            self.default_factory = default_factory
            self.compare = compare
            self.repr = repr

    class kept:  # noqa: N801 - it stands for a decorator of the standard library
        """A property that a value works out once, and keeps in a slot: it must depend on nothing but the value."""

        def __init__(self, compute):
            self.compute = compute

    def fields(of):
        """The attributes of a class of values, or of a value, in order."""
        return tuple(_named(of.__value_given__.get(name, _MISSING), name) for name in of.__match_args__)

    def _named(given, name):
        found = given if isinstance(given, field) else field(default=given)
        found.name = name
        return found

    def replace(value, /, **changes):
        """The same value with some attributes changed; an immutable one itself where none is another object then."""
        places, given, changed = value.__value_places__, [*value.__value_all__(value)], not value.__value_constant__
        for name, new in changes.items():
            place = places.get(name)
            if place is None:
                raise TypeError(f"{type(value).__qualname__} has no attribute {name!r}")
            if given[place] is not new:
                given[place], changed = new, True
        return value.__class__(*given) if changed else value

    def dataclass(*, slots, frozen=False, eq=True, order=False):
        """Make a class of values from its annotated attributes; immutable ones unless `frozen` is left out."""
        if not slots:
            raise TypeError("values have slots")
        return lambda cls: _made(*_said(cls), frozen=frozen, eq=eq, order=order)

    class _Statement(type):
        """Keeps what a class statement says for the decorator: to make a class and another with slots costs twice."""

        def __new__(mcs, name, bases, namespace):
            return (type, name, (), namespace, ()) if bases else super().__new__(mcs, name, bases, namespace)

    class Value(metaclass=_Statement):
        """The base that a class of values names where it has no other; the class is made without it."""

    def _said(cls):
        if cls.__class__ is tuple:
            return cls
        namespace = {**cls.__dict__, "__qualname__": cls.__qualname__}
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        return type(cls), cls.__name__, cls.__bases__, namespace, cls.__mro__[1:-1]

    def _made(metaclass, called, bases, namespace, ancestors, *, frozen, eq, order):
        names = own = tuple(namespace.get("__annotations__", ()))
        given = {name: namespace.pop(name) for name in own if name in namespace}
        for base in ancestors:
            if "__value_given__" in base.__dict__:
                names = tuple(dict.fromkeys((*base.__match_args__, *names)))
                given = {**{name: one for name, one in base.__value_given__.items() if name not in own}, **given}
        computed = {name: one.compute for name, one in namespace.items() if one.__class__ is kept}
        if computed:
            namespace = {name: one for name, one in namespace.items() if name not in computed}
            inherited = next((base.__value_kept__ for base in ancestors if hasattr(base, "__value_kept__")), {})
            namespace["__value_kept__"] = {**inherited, **computed}
            namespace["__getattr__"] = _work_out
        hashed = (_HASH,) if frozen and not [base for base in bases if hasattr(base, _HASH)] else ()
        # of one name attrgetter gives no tuple
        every = attrgetter(*names) if len(names) > 1 else lambda value: tuple([getattr(value, one) for one in names])
        namespace = {**_METHODS, **(_COMPARED if eq else {}), **namespace, **(_FROZEN if frozen else {})}
        namespace |= {
            "__slots__": (*own, *computed, *hashed),
            "__value_given__": given,
            "__match_args__": names,
            "__value_places__": {name: place for place, name in enumerate(names)},
            "__value_constant__": frozen and eq,
            "__value_all__": staticmethod(every),
        }
        if "__init__" not in namespace:
            namespace.setdefault("__new__", _first_new)
        if eq:
            left_out = [name for name, one in given.items() if one.__class__ is field and not one.compare]
            compared = [name for name in names if name not in left_out] if left_out else names
            key = (attrgetter(*compared) if left_out or len(names) < 2 else every) if compared else lambda _value: ()
            namespace["__value_key__"] = staticmethod(key)
            namespace.setdefault("__hash__", _hash if frozen else None)
        if order:
            namespace.update((f"__{one.__name__}__", _ordering(one)) for one in (lt, le, gt, ge))
        return metaclass(called, bases, namespace)

    def _first_new(cls, *args, **kwargs):
        """`__new__` of the first values of a class: to make its own costs more than to fill in a few one by one."""
        owner = next(one for one in cls.__mro__ if "__new__" in one.__dict__)
        names, given = owner.__match_args__, owner.__value_given__
        _filled[owner] = count = _filled.get(owner, 0) + 1
        values = dict(zip(names, args, strict=False))
        values.update(kwargs)
        # what is lacking, given twice or not known, the constructor says
        if count > _FEW or len(values) < len(args) + len(kwargs) or not owner.__value_places__.keys() >= kwargs.keys():
            owner.__new__ = _constructor(owner)
            return cls.__new__(cls, *args, **kwargs)
        for name in names:
            if name not in values:
                one = given.get(name, _MISSING)
                if one.__class__ is field:
                    one = one.default if one.default_factory is _MISSING else one.default_factory()
                if one is _MISSING:
                    owner.__new__ = _constructor(owner)
                    return cls.__new__(cls, *args, **kwargs)
                values[name] = one
        made = object.__new__(cls)
        for name, value in values.items():
            object.__setattr__(made, name, value)
        return made

    def _constructor(cls):
        """`__new__` for the attributes of a class: that of any class of as many, with other names."""
        names, slots = cls.__match_args__, cls.__dict__["__slots__"]
        code = _filling(len(names))
        place = {f"_{number}": name for number, name in enumerate(names)}
        code = code.replace(
            co_varnames=tuple(place.get(name, name) for name in code.co_varnames),
            co_names=tuple(place.get(name, name) for name in code.co_names),
        )
        # of the same layout, so that its values can become those of the class
        namespace = {"__slots__": slots, "__orig_bases__": getattr(cls, "__orig_bases__", cls.__bases__)}
        if any(base.__setattr__ is not object.__setattr__ for base in cls.__bases__):
            namespace["__setattr__"] = object.__setattr__
        same = type(cls)(cls.__name__, cls.__bases__, namespace)
        made = FunctionType(code, {"_new": object.__new__, "_same": same}, "__new__")
        every = fields(cls)
        given = [found for found in every if found.default is _MISSING and found.default_factory is _MISSING]
        made.__defaults__ = tuple(found.default for found in every[len(given) :])
        factories = [(found.name, found.default_factory) for found in every if found.default_factory is not _MISSING]
        return made if not factories else _with_factories(made, names, factories)

    @cache
    def _filling(count):
        parameters = "".join(f", _{number}" for number in range(count))
        lines = "".join(f" self._{number} = _{number}\n" for number in range(count))
        return _made_by(
            f"def made(_cls{parameters}):\n self = _new(_same)\n{lines} self.__class__ = _cls\n return self"
        )

    def _made_by(text):
        scope = {}
        exec(compile(text, "<made>", "exec"), scope)  # noqa: S102
        return scope["made"].__code__

    def _with_factories(made, names, factories):
        def filled(cls, *args, **kwargs):
            given = (*names[: len(args)], *kwargs)
            return made(cls, *args, **kwargs, **{name: factory() for name, factory in factories if name not in given})

        return filled

    def _repr(self):
        shown = ", ".join(f"{found.name}={getattr(self, found.name)!r}" for found in fields(self) if found.repr)
        return f"{type(self).__qualname__}({shown})"

    def _eq(self, other):
        if type(self) is not type(other):
            return NotImplemented
        return self.__value_key__(self) == self.__value_key__(other)

    def _hash(self):
        try:
            return self._value_hash
        except AttributeError:
            found = hash(self.__value_key__(self))
            object.__setattr__(self, _HASH, found)
            return found

    def _work_out(self, name):
        if name not in self.__value_kept__:
            raise AttributeError(f"{type(self).__qualname__!r} object has no attribute {name!r}")
        found = self.__value_kept__[name](self)
        object.__setattr__(self, name, found)
        return found

    def _reduce(self):
        return type(self), self.__value_all__(self)

    def _refuse_setattr(self, name, _value):
        raise AttributeError(f"cannot assign to field {name!r}")

    def _refuse_delattr(self, name):
        raise AttributeError(f"cannot delete field {name!r}")

    _METHODS = {"__repr__": _repr, "__reduce__": _reduce}
    _COMPARED = {"__eq__": _eq}
    _FROZEN = {"__setattr__": _refuse_setattr, "__delattr__": _refuse_delattr}

    def _ordering(compare):
        def method(self, other):
            if type(self) is not type(other):
                return NotImplemented
            return compare(self.__value_key__(self), other.__value_key__(other))

        return method

    class _TupleOfNames(type):
        def __new__(mcs, name, bases, namespace):
            if not bases:
                return super().__new__(mcs, name, bases, namespace)
            names = tuple(namespace.get("__annotations__", ()))
            made = FunctionType(_joining(len(names)).replace(co_varnames=("_cls", *names)), _TUPLE, "__new__")
            made.__defaults__ = tuple(namespace.pop(one) for one in names if one in namespace)
            getters = {one: _tuplegetter(number, None) for number, one in enumerate(names)}
            methods = {"__repr__": _shown, "__getnewargs__": lambda self: self[:], "_replace": _replaced}
            own = {"__slots__": (), "_fields": names, "__match_args__": names, "__new__": made}
            return type(name, (tuple,), {**methods, **namespace, **own, **getters})

    class NamedTuple(metaclass=_TupleOfNames):
        """A tuple whose places have names."""

    _TUPLE = {"_new": tuple.__new__}

    @cache
    def _joining(count):
        names = "".join(f"_{number}, " for number in range(count))
        return _made_by(f"made = lambda _cls, {names}: _new(_cls, ({names}))")

    def _shown(self):
        shown = ", ".join(f"{name}={one!r}" for name, one in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({shown})"

    def _replaced(self, /, **changes):
        made = tuple.__new__(type(self), map(changes.pop, self._fields, self))
        if changes:
            raise ValueError(f"Got unexpected field names: {[*changes]!r}")
        return made


__all__ = ["NamedTuple", "Value", "dataclass", "field", "fields", "kept", "replace"]
