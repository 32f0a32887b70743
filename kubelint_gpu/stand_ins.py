"""Modules of which a library takes little, such as a class that it only names: they are not loaded for that."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping


@contextmanager
def stand_ins(named: Mapping[str, Mapping[str, Any]]) -> Iterator[None]:
    """Have what is imported within find these attributes in modules that are not loaded; of more they are."""
    made = {name: _stand_in(name, held) for name, held in named.items() if name not in sys.modules}
    sys.modules.update(made)
    try:
        yield
    finally:
        for name, module in made.items():
            if sys.modules.get(name) is module:
                del sys.modules[name]


def _stand_in(name: str, held: Mapping[str, Any]) -> ModuleType:
    def further(attribute: str) -> Any:
        from importlib import import_module

        if attribute.startswith("__"):
            raise AttributeError(attribute)
        sys.modules.pop(name, None)
        return getattr(import_module(name), attribute)

    module = ModuleType(name)
    vars(module).update(held, __getattr__=further)
    return module
