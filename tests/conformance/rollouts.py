"""Compare the judgement of rollouts with brute force on random small cases: `rollouts.py [FIRST [LAST [LARGEST]]]`.

Each number is two cases: one of the general kind, and one with a feature of its own. LARGEST is in states of the brute
force; larger cases are counted and left out.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "rollout"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from rollout_reference import Reference, TooLarge, featured_case, program_verdict, random_case


def compare(first: int, last: int, largest: int) -> tuple[dict[str, Counter[str]], list[str]]:
    """The counts of what was compared, by feature, and the differences."""
    counts: dict[str, Counter[str]] = {}
    wrong = []
    for seed in range(first, last):
        for feature, case in (("general", random_case(seed)), featured_case(seed)):
            mine = counts.setdefault(feature, Counter())
            try:
                reference = Reference(case, largest)
                wanted, _ = reference.verdict()
            except TooLarge:
                mine["too large"] += 1
                continue
            found, by_bound = program_verdict(case)
            verdict = getattr(found, "value", found)
            if verdict == "apart":
                mine["do not compete"] += 1
                continue
            mine["compared"] += 1
            mine[f"{wanted} by {'bound' if by_bound else 'search'}"] += 1
            if verdict != wanted and (wanted is not None or verdict != reference.also()):
                mine["differ"] += 1
                wrong.append(f"seed {seed} ({feature}): brute force says {wanted}, the judgement {verdict}")
                print(wrong[-1], flush=True)
    return counts, wrong


def main() -> int:
    numbers = [int(argument) for argument in sys.argv[1:]]
    first, last, largest = (*numbers, *(0, 10_000, 6_000)[len(numbers) :])
    counts, wrong = compare(first, last, largest)
    for feature, mine in sorted(counts.items()):
        print(feature)
        for name, count in sorted(mine.items()):
            print(f"{count:8} {name}")
    print(f"{len(wrong):6} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
