"""`--shard`: the units that one of several jobs judges. With the same files, all jobs agree on the shares."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

import click

from kubelint_gpu.values import Value

if TYPE_CHECKING:
    from kubelint_gpu.workspace.apply_set import ApplySet

MOST = 10_000


class Shard(Value):
    """The share of one of several jobs; `number` counts from 1."""

    number: int
    of: int

    def holds(self, name: str) -> bool:
        """Whether a name belongs to this share. Only the name and the number of jobs decide."""
        made = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        return int.from_bytes(made, "big") % self.of == self.number - 1


def read_shard(_context: click.Context, _parameter: click.Parameter, text: str | None) -> Shard | None:
    """Return the shard that an option names, such as 2/8. Raises click.BadParameter if the text names no shard."""
    if text is None:
        return None
    number, slash, of = text.partition("/")
    if not (len(text) < 12 and slash and number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of) <= MOST):
        raise click.BadParameter(f'"{text}" is no share such as 2/8: the second of eight')
    return Shard(int(number), int(of))


def share(units: Sequence[ApplySet], shard: Shard) -> tuple[ApplySet, ...]:
    """Return the units of a share, in their order.

    The first file of a unit decides its job, whatever else is beside it, for all of its clusters. Renders with a common
    file go to one job, because a finding in that file is reported once for all.
    """
    named = [(unit, sorted(each.source.path for each in unit.sources if each.source is not None)) for unit in units]
    first: dict[str, str] = {}
    for unit, names in named:
        if unit.rendered:
            _join(first, names)
    return tuple(unit for unit, names in named if shard.holds(_stands_for(first, next(iter(names), ""))))


def _join(first: dict[str, str], names: Sequence[str]) -> None:
    """Make some names equal: the least one represents all."""
    tops = sorted({_stands_for(first, name) for name in names})
    for name in tops[1:]:
        first[name] = tops[0]


def _stands_for(first: dict[str, str], name: str) -> str:
    top = name
    while top in first:
        top = first[top]
    return top
