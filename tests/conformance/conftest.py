"""The package that asks the real control plane stands at the root of the repository, and is not installed."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2]))
