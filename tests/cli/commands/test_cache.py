"""`cache`: where results are kept, and forgetting them."""

from command_line import TRACKER, kubelint


def test_what_a_run_keeps_is_where_the_command_says_and_goes_with_clean(tmp_path):
    user = {"KUBELINT_GPU_NO_CACHE": "", "XDG_CACHE_HOME": str(tmp_path)}
    assert kubelint("cache", "dir", env=user).out == f"{tmp_path}/kubelint-gpu\n"
    assert kubelint("cache", "clean", env=user).out == "0 bytes freed\n"
    kubelint("check", TRACKER, env=user)
    assert any((tmp_path / "kubelint-gpu").rglob("results-1/*"))
    assert kubelint("cache", "clean", env=user).out != "0 bytes freed\n"
    assert not any((tmp_path / "kubelint-gpu").iterdir())
    kubelint("check", TRACKER, "--no-cache", env=user)
    assert not any((tmp_path / "kubelint-gpu").iterdir())


def test_nothing_is_printed_where_nothing_is_kept():
    ran = kubelint("cache", "dir", env={"KUBELINT_GPU_NO_CACHE": "1"})
    assert (ran.code, ran.out) == (0, "")
