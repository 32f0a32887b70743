from __future__ import annotations

import pytest
from hook_repository import User, offer


@pytest.fixture(scope="session")
def hooks(tmp_path_factory):
    """The hooks in a repository, installed once for all test processes of a run."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if base.name.startswith("popen-") else base) / "hooks-offered"
    folder.mkdir(exist_ok=True)
    return offer(folder)


@pytest.fixture
def user(tmp_path, hooks):
    return User(tmp_path, hooks)
