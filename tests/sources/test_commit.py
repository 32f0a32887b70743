"""What a commit held is told by the index and by what is staged: no tree is listed, and nothing is read that is not asked for."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from kubelint_gpu.sources.commit import read_commit
from kubelint_gpu.sources.git import GitError

MOST = 100


def git(folder, *arguments, check=True):
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.com")
    return subprocess.run(
        ["git", *identity, *arguments], cwd=folder, check=check, capture_output=True, text=True
    ).stdout


def write(folder, **files):
    for name, text in files.items():
        (folder / f"{name}.yaml").write_text(text)


@pytest.fixture(params=["sha1", "sha256"])
def folder(request, tmp_path, monkeypatch):
    """A repository with a commit."""
    git(tmp_path, "init", "-q", "-b", "main", f"--object-format={request.param}")
    write(tmp_path, a="a\n", b="b\n", large="x" * (MOST + 1))
    (tmp_path / "link.yaml").symlink_to("b.yaml")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def before(**environment):
    found = read_commit(Path.cwd(), environment, (), suffixes=(".yaml",))
    texts = {str(path): data.decode() for path, data in found.before(max_bytes=MOST).items()}
    return {str(path): texts.get(str(path)) for path in found.changed}


def test_what_is_staged_unstaged_and_gone(folder):
    assert before() == {}
    git(folder, "mv", "a.yaml", "ä\n.yaml")
    write(folder, c="c\n", large="small")
    git(folder, "add", "-A")
    (folder / "b.yaml").unlink()
    assert before() == {"a.yaml": "a\n", "b.yaml": "b\n", "c.yaml": None, "large.yaml": None, "ä\n.yaml": None}


def test_a_link_stands_for_what_it_leads_to(folder):
    for name, target in {"link": "a", "b": "a"}.items():
        (folder / f"{name}.yaml").unlink()
        (folder / f"{name}.yaml").symlink_to(f"{target}.yaml")
    git(folder, "add", "-A")
    assert before() == {"b.yaml": "a\n", "link.yaml": "a\n"}


def test_in_a_merge_it_is_what_this_side_holds(folder):
    git(folder, "checkout", "-qb", "other")
    write(folder, a="theirs\n", n="theirs\n")
    git(folder, "rm", "-q", "b.yaml")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    git(folder, "checkout", "-q", "main")
    write(folder, a="ours\n", n="ours\n")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "x")
    git(folder, "merge", "other", check=False)
    assert before() == {"a.yaml": "ours\n", "b.yaml": "b\n", "n.yaml": "ours\n"}


def test_a_file_that_is_only_meant_to_be_added_was_not_there(folder):
    write(folder, n="n\n")
    git(folder, "rm", "-q", "--cached", "a.yaml")
    git(folder, "add", "-N", "n.yaml", "a.yaml")
    assert before() == {"a.yaml": "a\n", "n.yaml": None}


@pytest.mark.parametrize(
    "revision", ["", "main", "nowhere", "HEAD^{tree}", "HEAD:a.yaml", "HEAD..main", "--cached", "-z"]
)
def test_what_names_no_commit_is_passed_over(folder, revision):
    write(folder, a="new\n")
    git(folder, "add", "-A")
    assert before(PRE_COMMIT_FROM_REF=revision) == {"a.yaml": "a\n"}


def test_an_earlier_commit_and_a_tag_of_one(folder):
    git(folder, "tag", "-a", "-m", "x", "first")
    write(folder, a="new\n")
    git(folder, "commit", "-qam", "x")
    assert before() == {}
    assert before(PRE_COMMIT_FROM_REF="HEAD~1") == before(PRE_COMMIT_FROM_REF="first") == {"a.yaml": "a\n"}


def test_before_the_first_commit_there_was_nothing(tmp_path, monkeypatch):
    git(tmp_path, "init", "-q")
    write(tmp_path, a="a\n")
    git(tmp_path, "add", "-A")
    monkeypatch.chdir(tmp_path)
    found = read_commit(Path.cwd(), {}, (), suffixes=(".yaml",))
    assert (found.base, [*found.tracked], found.changed, found.before(max_bytes=MOST)) == (None, ["a.yaml"], {}, {})


def test_what_the_repository_lacks_is_told_when_it_is_read(folder):
    blob = git(folder, "rev-parse", "HEAD:a.yaml").strip()
    write(folder, a="new\n")
    git(folder, "add", "-A")
    (folder / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    found = read_commit(Path.cwd(), {}, (), suffixes=(".yaml",))
    assert found.changed == {Path("a.yaml"): blob}
    with pytest.raises(GitError, match=f"a.yaml of HEAD is not in this repository.*git cat-file blob {blob}"):
        found.before(max_bytes=MOST)


def test_a_history_that_is_broken_is_no_first_commit(folder):
    tree = git(folder, "rev-parse", "HEAD^{tree}").strip()
    (folder / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(GitError):
        before()
