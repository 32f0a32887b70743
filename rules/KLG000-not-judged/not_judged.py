"""What a run did not judge, because too little work was left for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kubelint_gpu.engine.api import ApplySet, Diagnostic, Place, unjudged_rule
from kubelint_gpu.messages.wording import NO_WORK, USED_UP, listed


@unjudged_rule("KLG000")
def not_judged(unit: ApplySet, codes: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield one finding for all rules of which the work was used up."""
    were = "was" if len(codes) == 1 else "were"
    yield Diagnostic(
        "KLG000",
        Place(unit.first_path, 1, 1, 1, 1),
        f"{listed(codes)} {were} not asked about everything here: {USED_UP}",
        cause="cut short",
        undecided=NO_WORK,
    )
