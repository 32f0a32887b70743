"""Where results are kept: never where a stranger could have put them."""

import os

import pytest

from kubelint_gpu.cache.cache_folder import SWITCH, cache_folder, is_own, opened


@pytest.fixture(autouse=True)
def user(tmp_path, monkeypatch):
    for name in (SWITCH, "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    (work / ".git").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.chdir(work)
    return home


def test_it_lies_below_the_home(user):
    assert cache_folder() == user / ".cache" / "kubelint-gpu"


def test_xdg_says_where(user, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(user / "x"))
    assert cache_folder() == user / "x" / "kubelint-gpu"


def test_a_relative_path_is_no_folder_of_xdg(user, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "cache")
    assert cache_folder() == user / ".cache" / "kubelint-gpu"


def test_without_a_home_there_is_none(monkeypatch):
    monkeypatch.delenv("HOME")
    assert cache_folder() is None


def test_it_can_be_switched_off(monkeypatch):
    monkeypatch.setenv(SWITCH, "1")
    assert cache_folder() is None


@pytest.mark.parametrize("place", ["work/.cache", "work", "other/sub/.cache"])
def test_a_folder_in_a_checkout_is_not_used(monkeypatch, tmp_path, place):
    (tmp_path / "other" / ".git").mkdir(parents=True)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / place))
    assert cache_folder() is None


def test_a_link_into_the_checkout_is_not_used(user, tmp_path):
    (tmp_path / "work" / "planted").mkdir()
    (user / ".cache").symlink_to(tmp_path / "work" / "planted")
    assert cache_folder() is None


def test_a_working_directory_without_git_is_a_checkout_too(user, monkeypatch):
    monkeypatch.chdir(user)
    assert cache_folder() is None


def test_what_others_own_is_not_used(tmp_path, monkeypatch):
    folder = tmp_path / "c"
    assert opened(folder, make=True)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    assert not is_own(folder.stat())
    assert not opened(folder, make=True)


def test_the_folder_is_made_for_its_user_alone(tmp_path):
    assert not opened(tmp_path / "c", make=False)
    assert opened(tmp_path / "c", make=True)
    assert (tmp_path / "c").stat().st_mode & 0o077 == 0
