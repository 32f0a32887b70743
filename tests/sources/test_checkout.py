"""Links of a checkout lead nowhere out of it, whatever names them; who writes a path may leave it."""

from __future__ import annotations

import os

import pytest
from hostile_files import INVENTORY, deployment, git
from limited import run

from kubelint_gpu.sources.checkout import anchor_of, renders_nothing, repositories_around

UNREAD = "apiVersion: v1\nkind: Secret\nmetadata: {name: x}\nstringData: {token: hunter2}\n  broken: [\n"


@pytest.fixture
def repository(tmp_path):
    checkout = tmp_path / "checkout"
    (checkout / "sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    for name in ("secret", "secret.yaml", "kustomization.yaml"):
        (tmp_path / "outside" / name).write_text(UNREAD)
    (checkout / "a.yaml").write_text(deployment("first"))
    (checkout / "i.yaml").write_text(INVENTORY)
    git(checkout, "init", "-q")
    git(checkout, "config", "http.extraheader", "AUTHORIZATION: basic hunter2")
    (checkout / "link.yaml").symlink_to(tmp_path / "outside" / "secret.yaml")
    (checkout / "relative.yaml").symlink_to("../outside/secret.yaml")
    (checkout / "twice.yaml").symlink_to("link.yaml")
    (checkout / "folder").symlink_to("../outside")
    (checkout / "sub" / "up").symlink_to("../..")
    (checkout / "git.yaml").symlink_to(".git/config")
    (checkout / "git").symlink_to(".git")
    (checkout / "inside.yaml").symlink_to("a.yaml")
    return checkout


OUT = (
    "link.yaml",
    "./link.yaml",
    "sub/../link.yaml",
    "relative.yaml",
    "twice.yaml",
    "folder",
    "folder/secret.yaml",
    "folder/../outside/secret.yaml",
    "sub/up/outside/secret.yaml",
    "sub/up/checkout/link.yaml",
    "../checkout/link.yaml",
    "git.yaml",
    "git/config",
    "HERE/link.yaml",
    "ALIAS/link.yaml",
    "ALIAS/folder/secret.yaml",
)


def written(name, repository):
    """The name with folders in place of the words in capitals; ALIAS is a link to the checkout that the user made."""
    alias = repository.parent / "alias"
    if not alias.is_symlink():
        alias.symlink_to(repository)
    return name.replace("HERE", str(repository)).replace("ALIAS", str(alias))


def checked(folder, *arguments):
    ended = run("check", *arguments, cwd=folder)
    assert b"internal error" not in ended.stderr, ended.stderr
    assert b"hunter2" not in ended.stdout + ended.stderr
    return ended


@pytest.mark.parametrize("name", OUT)
def test_nothing_is_read_through_them(name, repository):
    path = written(name, repository)
    options = (
        ("-i", path),
        ("--add-node", path),
        ("--against", f"path:{path}"),
        ("--baseline", path),
        ("--config", path),
    )
    every = [("a.yaml", *one) for one in (options if name in OUT[:1] else options[:1])]
    for arguments in [(path,), *every]:
        ended = checked(repository, *arguments)
        assert ended.returncode == 2, arguments
        assert b"leads outside" in ended.stderr or b"the inventory cannot be used" in ended.stdout, ended.stderr


@pytest.mark.parametrize("name", ["link.yaml", "folder/secret.yaml"])
def test_from_elsewhere_neither(name, repository):
    ended = checked(repository.parent, f"checkout/{name}")
    assert ended.returncode == 2
    assert b"leads outside" in ended.stderr


@pytest.mark.parametrize("name", ["base", "base/secret.yaml", "member.yaml"])
def test_a_kustomization_behind_them_is_not_rendered(name, repository):
    base = repository.parent / "outside" / "base"
    base.mkdir()
    (base / "secret.yaml").write_text(deployment("hunter2"))
    (base / "kustomization.yaml").write_text("resources: [secret.yaml]\n")
    (repository / "base").symlink_to(base)
    (repository / "member.yaml").symlink_to(base / "secret.yaml")
    ended = checked(repository, name, "-i", "i.yaml")
    assert ended.returncode == 2
    assert b"leads outside" in ended.stderr
    assert b"hunter2" not in run("explain", "deployment/hunter", name, "-i", "i.yaml", cwd=repository).stderr


def test_other_commands_neither(repository):
    for arguments in (
        ("inventory", "validate", "link.yaml"),
        ("inventory", "show", "link.yaml"),
        ("explain", "deployment/first", "link.yaml"),
    ):
        ended = run(*arguments, cwd=repository)
        assert ended.returncode != 0
        assert b"hunter2" not in ended.stdout + ended.stderr


def test_found_in_a_folder_neither(repository):
    (repository / "kustomization.yaml").write_text("resources: [a.yaml, git.yaml, git/config, .git/config]\n")
    ended = checked(repository, ".", "-i", "i.yaml")
    assert ended.returncode == 1
    assert b"Deployment/first" in ended.stdout or b"Deployment first" in ended.stdout


def test_a_configuration_that_is_one(repository):
    (repository / ".kubelint-gpu.yaml").symlink_to("../outside/secret")
    assert checked(repository, "a.yaml").returncode == 2
    (repository / ".kubelint-gpu.yaml").unlink()
    (repository / ".kubelint-gpu.yaml").write_text("inventory: .git/config\n")
    assert checked(repository, "a.yaml").returncode == 2


def test_who_writes_a_path_may_leave(repository):
    (repository.parent / "outside" / "b.yaml").write_text(deployment("second"))
    (repository.parent / "own").symlink_to("outside")
    os.chdir(repository)
    for path in ("../outside/b.yaml", str(repository.parent / "outside" / "b.yaml"), "../own/b.yaml", "inside.yaml"):
        ended = checked(repository, path, "-i", "i.yaml")
        assert ended.returncode == 1, ended.stderr
        assert b"KLG402" in ended.stdout


WRITING = (
    ("--output-format", "json", "--output-file"),
    ("--output-format", "text", "--output-format", "sarif", "--output-file"),
    ("--write-baseline",),
)


@pytest.mark.parametrize("options", WRITING)
@pytest.mark.parametrize("name", OUT[:1] + OUT[3:5] + ("folder/new", "sub/up/new", "git/hooks/pre-commit", "git.yaml"))
def test_nothing_is_written_through_them(options, name, repository):
    def state():
        every = (path for path in sorted(repository.parent.rglob("*")) if path.is_file() and not path.is_symlink())
        return {path: path.read_bytes() for path in every}

    before = state()
    ended = checked(repository, "a.yaml", "-i", "i.yaml", *options, name)
    assert ended.returncode == 2
    assert b"leads outside" in ended.stderr
    assert state() == before


@pytest.mark.parametrize("options", WRITING)
def test_what_stays_inside_or_is_written_outside_is_written(options, repository):
    (repository / "sub" / "in").symlink_to("..")
    for name in ("sub/in/new", "../outside/new", str(repository.parent / "new")):
        assert checked(repository, "a.yaml", "-i", "i.yaml", *options, name).returncode in (0, 1)
        assert (repository / name).stat().st_size > 0


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


def test_a_path_that_no_system_takes_lies_where_its_folder_does(repository):
    around = list(repositories_around([str(repository / "bad\0name"), str(repository / "not\0there" / "x")]))
    assert around == [str(repository)]


def test_a_library_chart_behind_a_link_out_or_in_a_pipe_is_not_read(repository, monkeypatch):
    monkeypatch.chdir(repository)
    for name, text in (("outside", "type: library\n"), ("checkout/own", "type: 'library'\n")):
        (repository.parent / name).mkdir(exist_ok=True)
        (repository.parent / name / "Chart.yaml").write_text(text)
    (repository / "out").mkdir()
    (repository / "out" / "Chart.yaml").symlink_to("../../outside/Chart.yaml")
    (repository / "pipe").mkdir()
    os.mkfifo(repository / "pipe" / "Chart.yaml")
    for name, file in (("own", "templates/pod.yaml"), ("pipe", "charts/x/Chart.yaml"), ("out", "templates/pod.yaml")):
        (repository / name / file).parent.mkdir(parents=True)
        (repository / name / file).write_text("")
    assert [renders_nothing(name) for name in ("own", "out", "pipe", "none")] == [True, False, False, False]
