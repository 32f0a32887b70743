"""What is no output of a run is not taken for one."""

from __future__ import annotations

import zlib
from binascii import b2a_base64

import pytest

from kubelint_gpu.cli.earlier_run import keep, recall


class Texts(dict):
    """A store of texts."""

    def put(self, key, text):
        self[key] = text.encode("ascii")


def test_what_is_kept_is_recalled():
    store = Texts()
    keep(store, "k", 1, "a\nü\n")
    assert recall(store, "k") == (1, "a\nü\n")
    assert recall(store, "other") is None


@pytest.mark.parametrize(
    "text", [b"", b"!", b2a_base64(b"x"), b2a_base64(zlib.compress(b"x\ny")), b2a_base64(zlib.compress(b"1\n\xff"))]
)
def test_what_is_no_kept_run_is_none(text):
    assert recall({"k": text}, "k") is None


def test_what_would_unfold_to_more_than_a_run_says_is_none():
    text = b2a_base64(zlib.compress(b"0\n" + b"x" * 20_000_000))
    assert recall({"k": text}, "k") is None


def test_what_no_encoding_takes_is_not_kept():
    store = Texts()
    keep(store, "k", 0, "\ud800")
    assert store == {}
