"""What is kept on disk: found again, bounded, and nothing where somebody else could have written it."""

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from kubelint_gpu.cache.digests import digest_of
from kubelint_gpu.cache.store import ENTRY_BYTES, FILE_BYTES, SWITCH, Store, cache_folder, clean, is_own, opened


def kept(folder, texts):
    store = Store(folder)
    for key, text in texts.items():
        store.put(digest_of([key]), text)
    store.save()


def found(folder, key):
    data = Store(folder).get(digest_of([key]))
    return None if data is None else data.decode()


def files(folder):
    return sorted((folder / "results-1").iterdir())


def test_what_is_saved_is_found_by_the_next_run(tmp_path):
    kept(tmp_path / "c", {"a": "[1]", "b": "[2]"})
    assert (found(tmp_path / "c", "a"), found(tmp_path / "c", "b"), found(tmp_path / "c", "c")) == ("[1]", "[2]", None)


def test_what_is_not_saved_is_not_found(tmp_path):
    store = Store(tmp_path / "c")
    store.put(digest_of(["a"]), "[1]")
    assert store.get(digest_of(["a"])) is None
    assert not (tmp_path / "c").exists()


def test_a_later_run_adds(tmp_path):
    for number in range(40):
        kept(tmp_path, {str(number): f"[{number}]"})
    assert [found(tmp_path, str(number)) for number in range(40)] == [f"[{number}]" for number in range(40)]


def test_a_run_that_began_before_another_ended_loses_nothing_of_it(tmp_path):
    first, second = Store(tmp_path), Store(tmp_path)
    assert first.get(digest_of(["a"])) is None
    second.put(digest_of(["a"]), "[1]")
    second.save()
    first.put(digest_of(["b"]), "[2]")
    first.save()
    assert (found(tmp_path, "a"), found(tmp_path, "b")) == ("[1]", "[2]")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data[: len(data) // 2],
        lambda data: data.replace(b"[", b"{"),
        lambda data: b"\0" * 100 + data,
        lambda _: b"\xff\xfe nothing",
        lambda _: b"",
        lambda data: b" ".join(reversed(data.split(b" "))),
    ],
)
def test_a_line_that_was_changed_is_not_there_and_is_written_anew(tmp_path, spoil):
    kept(tmp_path, {"a": "[1]"})
    (path,) = files(tmp_path)
    path.write_bytes(spoil(path.read_bytes()))
    assert found(tmp_path, "a") is None
    kept(tmp_path, {"a": "[1]"})
    assert found(tmp_path, "a") == "[1]"


def test_a_line_under_another_key_is_not_there(tmp_path):
    kept(tmp_path, {"a": "[1]"})
    (path,) = files(tmp_path)
    key = digest_of(["a"])
    other = key[:2] + "0" * (len(key) - 2)
    path.write_bytes(path.read_bytes().replace(key.encode(), other.encode()))
    assert Store(tmp_path).get(other) is None


def test_the_folder_is_bounded_and_keeps_what_is_newest(tmp_path):
    keys = [f"ab{number:038x}" for number in range(40)]
    for key in keys:
        store = Store(tmp_path)
        store.put(key, '["' + "x" * (ENTRY_BYTES // 2) + '"]')
        store.save()
    (path,) = files(tmp_path)
    assert path.stat().st_size <= FILE_BYTES
    there = [key for key in keys if Store(tmp_path).get(key) is not None]
    assert there == keys[-len(there) :]
    assert there


def test_what_is_too_long_is_not_kept(tmp_path):
    kept(tmp_path, {"a": "x" * (ENTRY_BYTES + 1)})
    assert found(tmp_path, "a") is None


def test_a_link_in_place_of_a_file_is_not_read(tmp_path):
    kept(tmp_path / "planted", {"a": "[1]"})
    kept(tmp_path / "c", {"b": "[2]"})
    (planted,) = files(tmp_path / "planted")
    (tmp_path / "c" / "results-1" / planted.name).symlink_to(planted)
    assert found(tmp_path / "c", "a") is None


def test_a_link_in_place_of_the_folder_is_not_read_and_not_written(tmp_path):
    kept(tmp_path / "planted", {"a": "[1]"})
    (tmp_path / "c").symlink_to(tmp_path / "planted")
    assert found(tmp_path / "c", "a") is None
    kept(tmp_path / "c", {"b": "[2]"})
    assert found(tmp_path / "planted", "b") is None


@pytest.mark.parametrize("below", ["", "results-1"])
def test_a_folder_that_others_may_write_to_is_not_read_and_not_written(tmp_path, below):
    kept(tmp_path / "c", {"a": "[1]"})
    (tmp_path / "c" / below).chmod(0o777)
    assert found(tmp_path / "c", "a") is None
    kept(tmp_path / "c", {"b": "[2]"})
    (tmp_path / "c" / below).chmod(0o700)
    assert found(tmp_path / "c", "b") is None


def test_a_file_that_others_may_write_to_is_not_read(tmp_path):
    kept(tmp_path, {"a": "[1]"})
    (path,) = files(tmp_path)
    path.chmod(0o666)
    assert found(tmp_path, "a") is None


def test_a_pipe_in_place_of_a_file_does_not_wait(tmp_path):
    kept(tmp_path, {"b": "[2]"})
    name = digest_of(["a"])[:2]
    (tmp_path / "results-1" / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / "results-1" / name)
    assert found(tmp_path, "a") is None


def test_a_folder_that_cannot_be_made_costs_nothing(tmp_path):
    (tmp_path / "c").write_text("a file")
    kept(tmp_path / "c", {"a": "[1]"})
    assert found(tmp_path / "c", "a") is None


def test_runs_beside_each_other_leave_whole_files(tmp_path):
    def one(number):
        store = Store(tmp_path)
        for place in range(20):
            store.put(f"ab{place:02}{number:036x}", f'["{number} {place}"]')
        store.save()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(one, range(24)))
    store = Store(tmp_path)
    there = [store.get(f"ab{place:02}{number:036x}") for number in range(24) for place in range(20)]
    right = [f'["{number} {place}"]'.encode() for number in range(24) for place in range(20)]
    assert all(one in (None, expected) for one, expected in zip(there, right, strict=True))
    assert sum(one is not None for one in there) >= 20
    assert [path.name for path in files(tmp_path)] == ["ab"]


def test_clean_takes_everything_away_and_follows_no_link(tmp_path):
    (tmp_path / "precious").write_text("x")
    kept(tmp_path / "c", {"a": "[1]", "b": "[2]"})
    (tmp_path / "c" / "results-1" / "zz").symlink_to(tmp_path / "precious")
    (tmp_path / "c" / "results-1" / "yy" / "more").mkdir(parents=True)
    (tmp_path / "c" / "results-1" / "yy" / "more" / "x").symlink_to(tmp_path / "precious")
    assert clean(tmp_path / "c") > 0
    assert clean(tmp_path / "c") == 0
    assert not (tmp_path / "c" / "results-1").exists()
    assert found(tmp_path / "c", "a") is None
    assert (tmp_path / "precious").read_text() == "x"


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
