"""Known gaps of the examples are counted at the end of a run."""

from __future__ import annotations

import pytest


@pytest.fixture
def kept(request):
    """Compares bytes with a file, or writes the file with --update."""

    def compare(path, new):
        if request.config.getoption("--update") and (not path.exists() or path.read_bytes() != new):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(new)
        assert path.read_bytes().decode() == new.decode()

    return compare


def pytest_terminal_summary(terminalreporter):
    from docs.catalogue.example import examples, expectations
    from kubelint_gpu.findings.catalogue import folders

    gaps = [
        f"{example.folder.name}/{found}"
        for folder in folders().values()
        for example in examples(folder, "bad")
        for found in expectations(example)
        if found.todo
    ]
    if gaps:
        terminalreporter.section(f"known gaps in the examples of rules: {len(gaps)}")
        for gap in gaps:
            terminalreporter.line(gap)
