"""Where text comes from: files and standard input."""

from __future__ import annotations

from kubelint_gpu.sources.files import Collected, Skipped, SourceError, SourceFile, collect, display_path

__all__ = ["Collected", "Skipped", "SourceError", "SourceFile", "collect", "display_path"]
