"""A signal to end reaches the run as an exception, and the handlers before are there again after it."""

from __future__ import annotations

import os
import signal
import threading

import pytest

from kubelint_gpu.sources.ending import ended_with_the_run


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_the_run_with_its_number(number):
    before = signal.getsignal(number)
    with pytest.raises(SystemExit) as ended, ended_with_the_run():
        os.kill(os.getpid(), number)
    assert ended.value.code == 128 + number
    assert signal.getsignal(number) is before


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ended_with_the_run():
            os.kill(os.getpid(), signal.SIGHUP)
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            assert signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    finally:
        signal.signal(signal.SIGHUP, before)


def test_another_thread_sets_no_handler():
    seen = []

    def inside():
        with ended_with_the_run():
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=inside)
    thread.start()
    thread.join()
    assert seen == [signal.getsignal(signal.SIGTERM)]
