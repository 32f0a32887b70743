"""Options that all tests share."""

from __future__ import annotations

import os

from hypothesis import settings

# how long an example takes says more of the machine than of the program
settings.register_profile("here", deadline=None)
if "CI" not in os.environ:
    settings.load_profile("here")


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the expected outputs anew")
