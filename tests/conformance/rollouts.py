"""Compare the judgement of rollouts with brute force on random small cases: `rollouts.py [FIRST [LAST [LARGEST]]]`.

LARGEST is in states of the brute force; larger cases are counted and left out.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "rollout"))
sys.path.insert(0, str(Path(__file__).parents[2]))

from rollout_reference import Reference, TooLarge, program_verdict, random_case


def compare(first: int, last: int, largest: int) -> tuple[Counter[str], list[str]]:
    """The counts of what was compared, and the differences."""
    counts: Counter[str] = Counter()
    wrong = []
    for seed in range(first, last):
        case = random_case(seed)
        try:
            wanted, _ = Reference(case, largest).verdict()
        except TooLarge:
            counts["too large"] += 1
            continue
        found, by_bound = program_verdict(case)
        verdict = getattr(found, "value", found)
        if verdict == "apart":
            counts["do not compete"] += 1
            continue
        counts["compared"] += 1
        counts[f"{wanted} by {'bound' if by_bound else 'search'}"] += 1
        if verdict != wanted:
            wrong.append(f"seed {seed}: brute force says {wanted}, the judgement {verdict}")
            print(wrong[-1], flush=True)
    return counts, wrong


def main() -> int:
    numbers = [int(argument) for argument in sys.argv[1:]]
    first, last, largest = (*numbers, *(0, 10_000, 6_000)[len(numbers) :])
    counts, wrong = compare(first, last, largest)
    for name, count in sorted(counts.items()):
        print(f"{count:6} {name}")
    print(f"{len(wrong):6} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
