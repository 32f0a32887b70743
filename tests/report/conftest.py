"""What the tests of the formats share: reports, and whole outputs kept as files."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_samples import REPORTS

EXPECTED = Path(__file__).parent / "expected"


@pytest.fixture
def expected(request):
    """Compares a whole output with its file, or writes the file with --update."""

    def compare(name, output):
        path = EXPECTED / name
        if request.config.getoption("--update"):
            EXPECTED.mkdir(exist_ok=True)
            path.write_bytes(output.encode())
        assert output == path.read_bytes().decode()

    return compare


@pytest.fixture(params=sorted(REPORTS))
def any_report(request):
    return REPORTS[request.param]
