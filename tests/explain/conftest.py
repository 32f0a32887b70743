"""A folder with a workload that is explained, and its cluster."""

from __future__ import annotations

import pytest
from explaining import laid_out


@pytest.fixture
def folder(tmp_path):
    return laid_out(tmp_path)
