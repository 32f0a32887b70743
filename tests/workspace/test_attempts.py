"""Attempts to schedule pods, each made once."""

from __future__ import annotations

from checks_units import deployment, unit

from kubelint_gpu.workspace.attempts import Attempts


def test_pods_that_every_filter_treats_alike_share_the_attempt_that_fits():
    found = unit(f"{deployment()}---\n{deployment(name='other')}---\n{deployment(name='large', limits='{cpu: 99}')}")
    kept = Attempts()
    chat, other, large = (kept.of(one, "empty", found.empty) for one in found.subjects)
    assert chat is other
    assert chat.fit.fits == ("gpu-1",)
    assert not large.fit.schedulable
    assert kept.of(found.subjects[2], "empty", found.empty) is large
