"""Kustomize for the tests of this folder."""

from __future__ import annotations

from kustomize_fixtures import check, example, program, rendered, tree

__all__ = ["check", "example", "program", "rendered", "tree"]
