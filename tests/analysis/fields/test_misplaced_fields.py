"""The field that was probably meant: what is left out beforehand would not have been found either."""

import random
from difflib import get_close_matches

import pytest

from kubelint_gpu.analysis.fields.misplaced_fields import near_name

FIELDS = ("replicas", "selector", "template", "strategy", "minReadySeconds", "progressDeadlineSeconds")


def misspelt(word, chance):
    letters = list(word)
    for _ in range(chance.randint(0, 4)):
        place = chance.randrange(len(letters))
        letters[place : place + chance.randint(0, 1)] = chance.choice(["", "x", "s", "ee", letters[place].upper()])
        letters = letters or ["a"]
    return "".join(letters)


@pytest.mark.parametrize("seed", range(20))
def test_a_field_is_near_where_difflib_says_so(seed):
    chance = random.Random(seed)
    for _ in range(50):
        key = misspelt(chance.choice(FIELDS), chance)
        plain = key.lower()
        exact = next((name for name in FIELDS if name.lower() == plain), "")
        close = get_close_matches(key, FIELDS, 1, 0.8)
        assert near_name(key, FIELDS) == (exact or (close[0] if close else ""))
