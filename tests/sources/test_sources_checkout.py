"""Where a run looks for what it needs besides its paths."""

import pytest

from kubelint_gpu.sources.checkout import anchor_of


@pytest.mark.parametrize(
    ("cwd", "paths", "anchor"),
    [
        (".", (), "."),
        (".", ("-",), "."),
        (".", ("repo/a/x.yaml",), "repo"),
        (".", ("-", "repo/a/x.yaml"), "repo"),
        (".", ("plain/x.yaml",), "."),
        ("other", ("../repo/a/x.yaml",), "repo"),
        ("repo", ("a/x.yaml",), "repo"),
        ("repo/a", ("x.yaml",), "repo/a"),
        ("repo/a", ("../x.yaml", "../../other/y.yaml"), "repo/a"),
        ("repo", ("inner/x.yaml",), "repo"),
        ("plain", ("../repo/inner/x.yaml",), "repo/inner"),
    ],
)
def test_the_anchor_is_the_working_directory_unless_it_is_outside(tmp_path, cwd, paths, anchor):
    for folder in ("repo/.git", "repo/a", "repo/inner/.git", "other/.git", "plain"):
        (tmp_path / folder).mkdir(parents=True)
    assert anchor_of(paths, tmp_path / cwd) == tmp_path / anchor
    absolute = [path if path == "-" else str((tmp_path / cwd / path).resolve()) for path in paths]
    assert anchor_of(absolute, tmp_path / cwd) == tmp_path / anchor
