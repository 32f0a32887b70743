"""What is no plain file in the place of what git reads does not keep a run waiting."""

from __future__ import annotations

import json
import os
import shutil
import stat
import time
from itertools import product

import pytest
from hostile_files import INVENTORY, deployment, git, objects
from limited import run

PLACES = (
    *("HEAD", "index", "config", "config.worktree", "packed-refs", "shallow", "objects", "refs", "refs/heads", "info"),
    *(
        "refs/heads/main",
        "refs/heads/further",
        "info/exclude",
        "info/attributes",
        "info/grafts",
        "info/sparse-checkout",
    ),
    *("objects/info/alternates", "objects/info/commit-graph", "objects/pack/pack-1.idx", "commondir", "BLOB"),
)
RUNS = {
    "hook": ("check", "--hook", "a.yaml", "-i", "i.yaml"),
    "against": ("check", "a.yaml", "-i", "i.yaml", "--against", "HEAD"),
    "a kustomization": ("check", "app/b.yaml", "-i", "i.yaml"),
}


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app" / "kustomization.yaml").write_text("resources: [b.yaml]\n")
    (tmp_path / "app" / "b.yaml").write_text(deployment("second"))
    (tmp_path / "a.yaml").write_text(deployment("first"))
    (tmp_path / "i.yaml").write_text(INVENTORY)
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    (tmp_path / "a.yaml").write_text(deployment("first").replace("image: a", "image: b"))
    return tmp_path


def put(place, kind):
    if place.is_dir():
        shutil.rmtree(place)
    place.unlink(missing_ok=True)
    place.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(place)
    elif kind == "device":
        place.symlink_to("/dev/zero")
    elif kind == "link":
        os.mkfifo(place.with_name("the-pipe"))
        place.symlink_to("the-pipe")
    else:
        os.mknod(place, stat.S_IFSOCK | 0o600)


def ends_soon(folder, *arguments):
    begun = time.monotonic()
    ended = run(*arguments, "--output-format", "json", cwd=folder)
    assert time.monotonic() - begun < 15
    assert b"internal error" not in ended.stderr, ended.stderr
    assert b"Traceback" not in ended.stderr, ended.stderr
    return ended


@pytest.mark.parametrize(
    ("place", "kind"),
    [*((place, "pipe") for place in PLACES), *product(("HEAD", "index", "BLOB"), ("device", "link", "socket"))],
)
def test_what_is_no_plain_file(place, kind, repository):
    if place == "BLOB":
        blob = git(repository, "rev-parse", "HEAD:a.yaml").stdout.decode().strip()
        place = f"objects/{blob[:2]}/{blob[2:]}"
    put(repository / ".git" / place, kind)
    for arguments in RUNS.values() if kind == "pipe" else [RUNS["hook"]]:
        ended = ends_soon(repository, *arguments)
        if ended.returncode == 2:
            assert b"is no plain file" in ended.stderr, ended.stderr
        else:
            assert json.loads(ended.stdout)["findings"]


NAMED = {
    "a folder that is named": lambda folder: (folder / "app" / ".git").write_text("gitdir: ../elsewhere\n"),
    "an included configuration": lambda folder: configure(folder, "[include]\n\tpath = ../elsewhere/HEAD\n"),
    "one on a condition": lambda folder: configure(folder, '[includeIf "gitdir:**"] path = "../elsewhere/HEAD"\n'),
    "a device": lambda folder: configure(folder, "[include]\n\tpath = /dev/zero\n"),
    "itself": lambda folder: (folder / "app" / ".git").write_text("gitdir: .git\n"),
    "further objects": lambda folder: (folder / ".git" / "objects" / "info" / "alternates").write_text(
        "../../elsewhere/objects\n"
    ),
}


def configure(folder, text):
    with (folder / ".git" / "config").open("a") as file:
        file.write(text)


@pytest.mark.parametrize("name", NAMED)
def test_what_is_named(name, repository):
    (repository / "elsewhere" / "objects" / "pack").mkdir(parents=True)
    (repository / "elsewhere" / "refs").mkdir()
    for pipe in ("HEAD", "config", "objects/pack/pack-1.idx"):
        os.mkfifo(repository / "elsewhere" / pipe)
    NAMED[name](repository)
    folder = repository / "app" if (repository / "app" / ".git").exists() else repository
    assert ends_soon(folder, "check", "--hook", ".").returncode == 2


def test_the_place_of_the_folder_itself(repository):
    shutil.rmtree(repository / ".git")
    put(repository / ".git", "pipe")
    for arguments in RUNS.values():
        ends_soon(repository, *arguments)


def test_a_linked_work_tree_and_its_links_are_as_before(repository, tmp_path_factory):
    linked = tmp_path_factory.mktemp("linked") / "tree"
    git(repository, "worktree", "add", "-q", str(linked))
    (repository / ".git" / "link").symlink_to("/")
    (linked / "a.yaml").write_text(deployment("first").replace("image: a", "image: b"))
    for folder in (repository, linked):
        ended = ends_soon(folder, *RUNS["hook"])
        assert objects(ended) == ["Deployment/first"], ended.stderr


@pytest.mark.parametrize("place", ["packed-refs", "HEAD", "config", "refs/heads/tree", "worktrees/tree/index"])
def test_a_linked_work_tree_whose_repository_has_a_pipe(place, repository, tmp_path_factory):
    linked = tmp_path_factory.mktemp("linked") / "tree"
    git(repository, "worktree", "add", "-q", str(linked))
    put(repository / ".git" / place, "pipe")
    for name in ("hook", "against"):
        ended = ends_soon(linked, *RUNS[name])
        assert ended.returncode == 2
        assert b"is no plain file" in ended.stderr or b"git" in ended.stderr, ended.stderr
