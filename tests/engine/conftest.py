"""Kustomize for the tests of this folder."""

from __future__ import annotations

from kustomize_fixtures import program, rendered

__all__ = ["program", "rendered"]
