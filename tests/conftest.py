"""Options that all tests share."""

from __future__ import annotations


def pytest_addoption(parser):
    parser.addoption("--update", action="store_true", help="write the expected outputs anew")
