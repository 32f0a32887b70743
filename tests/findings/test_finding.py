"""What every output format prints."""

from __future__ import annotations

from kubelint_gpu.findings.finding import with_short_words


def test_a_word_longer_than_any_name_is_cut_and_the_rest_of_the_sentence_stays():
    name = "a" * 253
    assert with_short_words(f'the node "{name}", and more') == f'the node "{name}", and more'
    assert with_short_words(f"the node {'b' * 100_000} is not there") == f"the node {'b' * 37}... is not there"
