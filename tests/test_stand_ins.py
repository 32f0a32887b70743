"""Modules that are not loaded for a class that is only named."""

from __future__ import annotations

import sys
from importlib import import_module

import pytest

from kubelint_gpu.stand_ins import stand_ins

NAME = "of_which_only_a_class_is_named"


class Mine:
    """It stands for a class."""


class Log:
    """How often the module was loaded."""

    def __init__(self, path):
        self._path = path

    @property
    def times(self):
        return len(self._path.read_text()) if self._path.exists() else 0


@pytest.fixture
def log(tmp_path, monkeypatch):
    """What a module writes when it is loaded that nobody has imported."""
    path = tmp_path / "log"
    says = f"with open({str(path)!r}, 'a') as file:\n    file.write('x')\n"
    (tmp_path / f"{NAME}.py").write_text(f"{says}class Named: pass\nclass Further: pass\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield Log(path)
    sys.modules.pop(NAME, None)


def test_a_class_is_named_and_nothing_is_loaded(log):
    with stand_ins({NAME: {"Named": Mine}}):
        from of_which_only_a_class_is_named import Named

        assert Named is sys.modules[NAME].Named is Mine
    assert NAME not in sys.modules
    assert log.times == 0
    assert import_module(NAME).Named is not Mine
    assert log.times == 1


def test_where_more_is_asked_for_the_module_is_loaded(log):
    with stand_ins({NAME: {"Named": Mine}}):
        from of_which_only_a_class_is_named import Further, Named

        assert Named is Mine
    assert log.times == 1
    assert sys.modules[NAME].Further is Further
    assert sys.modules[NAME].Named is not Mine


def test_what_is_loaded_already_stays(log):
    before = import_module(NAME)
    with stand_ins({NAME: {"Named": Mine}}):
        assert sys.modules[NAME] is before
    assert sys.modules[NAME] is before
    assert log.times == 1


def test_an_import_that_fails_leaves_no_stand_in_behind(log):
    with pytest.raises(ImportError), stand_ins({NAME: {}}):
        from of_which_only_a_class_is_named import Missing  # noqa: F401
    assert sys.modules[NAME].__file__
    assert log.times == 1
