"""Names: too long for the system, in bytes that are no text, of revisions."""

from __future__ import annotations

import json
import os
import sys

import pytest
from hostile_files import INVENTORY, deployment, git, objects
from limited import run

JSON = ("--output-format", "json")
FORMATS = ("text", "json", "sarif", "github", "gitlab", "junit", "markdown", "html")
ODD = os.fsdecode(b"caf\xe9.yaml")
# the longest name of a file, and the longest path
LENGTHS = (255, 256, 1023, 1024, 4096, 40_000)


@pytest.fixture
def repository(tmp_path):
    (tmp_path / "a.yaml").write_text(deployment("first"))
    (tmp_path / "i.yaml").write_text(INVENTORY)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "first")
    return tmp_path


def changed(text):
    """Another template: what a change leaves alone is not told."""
    assert "image: a" in text
    return text.replace("image: a", "image: b")


def checked(folder, *arguments, codes=(0, 1, 2)):
    ended = run("check", *arguments, cwd=folder)
    assert b"internal error" not in ended.stderr, ended.stderr
    assert b"Traceback" not in ended.stderr
    assert ended.returncode in codes, ended.stderr
    return ended


LONG = "x" * 300
KUSTOMIZATIONS = {
    **{f"commonAnnotations {size}": f"commonAnnotations: {{a: {'x' * size}}}\n" for size in LENGTHS[:4]},
    "folders": f"commonAnnotations: {{a: {'x/' * 400}}}\n",
    "namePrefix": f"namePrefix: {LONG}\n",
    "files": f"configMapGenerator: [{{name: c, files: [k={LONG}]}}]\n",
    "literals": f"configMapGenerator: [{{name: c, literals: [k={LONG}]}}]\n",
    "patches": f"patches: [{{path: {LONG}}}]\n",
    "patches in folders": f"patches: [{{path: {'x/' * 3000}}}]\n",
    "crds": f"crds: [{LONG}]\n",
    "transformers": f"transformers: [{LONG}]\n",
    "inline": f"transformers:\n- |-\n  apiVersion: builtin\n  kind: PatchTransformer\n  path: {LONG}\n",
}


@pytest.mark.parametrize("name", KUSTOMIZATIONS)
def test_a_long_text_of_a_kustomization(name, repository):
    (repository / "app").mkdir()
    (repository / "app" / "kustomization.yaml").write_text("resources: [b.yaml]\n" + KUSTOMIZATIONS[name])
    (repository / "app" / "b.yaml").write_text(deployment("second"))
    ended = checked(repository, ".", "-i", "i.yaml", *JSON, codes=(1,))
    assert "Deployment/first" in objects(ended)
    assert any(one.endswith("second") for one in objects(ended)) or "KLG006" in ended.stdout.decode()


@pytest.mark.parametrize("size", LENGTHS)
def test_a_long_resource(size, repository):
    (repository / "kustomization.yaml").write_text(f"resources: [a.yaml, {'x' * size}]\n")
    ended = checked(repository, ".", "-i", "i.yaml", *JSON, codes=(1,))
    assert objects(ended) == ["Deployment/first"]
    told = [one for one in json.loads(ended.stdout)["findings"] if one["code"] == "KLG006"]
    assert [one["line"] for one in told] == [1]


@pytest.mark.parametrize("name", [*("x" * size for size in LENGTHS), "x/" * 40_000], ids=len)
def test_a_long_path(name, repository):
    ended = checked(repository, "a.yaml", name, "-i", "i.yaml", *JSON, codes=(2,))
    assert objects(ended) == ["Deployment/first"]
    assert b"name too long" in ended.stderr or b"no such file" in ended.stderr


def test_a_path_of_very_many_folders(repository):
    for text in ("x/" * 1_000_000, "x/../" * 500_000, "../" * 1_000_000):
        (repository / "kustomization.yaml").write_text(f"resources: [a.yaml, {text}]\n")
        assert objects(checked(repository, ".", "-i", "i.yaml", *JSON, codes=(1,))) == ["Deployment/first"]


@pytest.mark.parametrize("name", ["x" * 300, "x/" * 3_000], ids=len)
def test_a_long_option(name, repository):
    for option in ("--against", "--baseline", "--config", "--inventory", "--add-node"):
        checked(repository, "a.yaml", f"{option}={name}", codes=(2,))
    for option in ("--output-file", "--write-baseline"):
        checked(repository, "a.yaml", "-i", "i.yaml", *JSON, f"{option}={name}", codes=(2,))
    checked(repository, "a.yaml", "-i", "i.yaml", f"--stdin-filename={name}", codes=(1,))
    (repository / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    assert b"there is no program" in checked(repository, ".", f"--kustomize={name}", codes=(2,)).stderr


def test_long_names_in_a_commit(repository):
    """git keeps names that no file system takes."""
    blob = git(repository, "hash-object", "-w", "a.yaml").stdout.decode().strip()
    lines = (
        "".join(f"100644 blob {blob}\t{'x' * size}.yaml\n" for size in LENGTHS[1:5]) + f"100644 blob {blob}\ta.yaml\n"
    )
    tree = git(repository, "mktree", input=lines.encode()).stdout.decode().strip()
    commit = git(repository, "commit-tree", "-m", "long", tree).stdout.decode().strip()
    git(repository, "update-ref", "refs/heads/long", commit)
    (repository / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (repository / "a.yaml").write_text(changed(deployment("first")))
    ended = checked(repository, ".", "-i", "i.yaml", "--against", "long", *JSON, codes=(1,))
    assert objects(ended) == ["Deployment/first"]


@pytest.mark.skipif(sys.platform == "darwin", reason="the system takes no such name")
class TestNamesThatAreNoText:
    @pytest.fixture
    def odd(self, repository):
        (repository / ODD).write_text(deployment("second"))
        folder = repository / os.fsdecode(b"k\xe9")
        folder.mkdir()
        (folder / "c.yaml").write_text(deployment("third"))
        (repository / "new\nline.yaml").write_text(deployment("fourth"))
        git(repository, "add", "-A")
        git(repository, "commit", "-qm", "odd")
        for path in (repository / "a.yaml", repository / ODD, folder / "c.yaml", repository / "new\nline.yaml"):
            path.write_text(changed(path.read_text()))
        return repository

    @pytest.mark.parametrize("arguments", [("--hook", "."), (".", "--against", "HEAD"), ("--hook", ODD), (".",)])
    def test_every_object_is_judged(self, odd, arguments):
        ended = checked(odd, *arguments, "-i", "i.yaml", *JSON, codes=(1,))
        every = ["Deployment/first", "Deployment/fourth", "Deployment/second", "Deployment/third"]
        assert objects(ended) == (["Deployment/second"] if ODD in arguments else every)

    def test_a_changed_file_is_compared_and_a_deleted_one_too(self, odd):
        """Both need the old contents of the odd file."""
        (odd / ODD).write_text(deployment("second").replace("matchLabels: {app: a}", "matchLabels: {app: b}"))
        for arguments in (("--hook", "."), (".", "--against", "HEAD")):
            ended = checked(odd, *arguments, "--select", "KLG009", *JSON, codes=(1,))
            assert objects(ended, "KLG009") == ["Deployment/second"]
        (odd / ODD).unlink()
        for arguments in (("--hook", "."), (".", "--against", "HEAD")):
            checked(odd, *arguments, "-i", "i.yaml", codes=(1,))

    def test_every_format(self, odd):
        places = [part for form in FORMATS for part in ("--output-format", form, "--output-file", f"{form}-report")]
        ended = checked(odd, "--hook", ODD, "-i", "i.yaml", "--output-format", "text", *places, codes=(1,))
        assert b"caf" in ended.stdout
        for form in FORMATS:
            assert b"caf" in (odd / f"{form}-report").read_bytes(), form
        checked(odd, ODD, "-i", "i.yaml", *JSON, codes=(1,))

    def test_a_baseline_accepts_them(self, odd):
        checked(odd, ".", "-i", "i.yaml", "--write-baseline", "accepted", codes=(0,))
        assert checked(odd, ".", "-i", "i.yaml", "--baseline", "accepted", codes=(0,)).stderr == b""

    def test_a_kustomization_among_them_costs_itself(self, odd):
        (odd / os.fsdecode(b"k\xe9") / "kustomization.yaml").write_text("resources: [c.yaml]\n")
        git(odd, "add", "-A")
        for arguments in (("--hook", "."), (".", "--against", "HEAD")):
            ended = checked(odd, *arguments, "-i", "i.yaml", *JSON, codes=(1,))
            assert "Deployment/first" in objects(ended)


class TestRevisions:
    @pytest.fixture
    def shadowed(self, repository):
        """A pull request that gives its manifests the name of the base, so that nothing seems to change."""
        base = git(repository, "rev-parse", "HEAD").stdout.decode().strip()
        changed = deployment("first").replace("matchLabels: {app: a}", "matchLabels: {app: b}")
        (repository / "a.yaml").write_text(changed)
        (repository / "sha.txt").write_text(base)
        git(repository, "branch", "before")
        git(repository, "tag", "v1.yaml")
        for name in (base, base[:12], "before", "HEAD", "v1.yaml", f"rev:{base}"):
            (repository / name).write_text(changed)
        (repository / "before~0").mkdir()
        (repository / "before~0" / "a.yaml").write_text(changed)
        return repository

    def found(self, folder, against):
        return objects(checked(folder, "a.yaml", f"--against={against}", *JSON, codes=(0, 1)), "KLG009")

    @pytest.mark.parametrize("name", ["SHA", "SHORT", "before", "HEAD", "v1.yaml", "before~0", "rev:SHA", "rev:before"])
    def test_what_git_knows_is_a_revision(self, shadowed, name):
        base = (shadowed / "sha.txt").read_text()
        against = name.replace("SHA", base).replace("SHORT", base[:12])
        assert self.found(shadowed, against) == ["Deployment/first"]

    @pytest.mark.parametrize("name", ["./before", "path:before", "path:./before", "before~0/", "HERE/before"])
    def test_a_path_is_written_as_one(self, shadowed, name):
        assert self.found(shadowed, name.replace("HERE", str(shadowed))) == []

    def test_both_are_told_apart_aloud(self, shadowed):
        ended = checked(shadowed, "a.yaml", "--against", "before", codes=(1,))
        assert b"is the revision, not the path of the same name: that is path:before" in ended.stderr

    @pytest.mark.parametrize("name", ["origin/main", "rev:origin/main", "1" * 40, "rev:before~9"])
    def test_a_revision_that_is_not_here_is_no_path(self, shadowed, name):
        path = shadowed / name.removeprefix("rev:")
        path.mkdir(parents=True)
        (path / "a.yaml").write_text((shadowed / "a.yaml").read_text())
        ended = checked(shadowed, "a.yaml", f"--against={name}", codes=(2,))
        assert b"revision" in ended.stderr

    def test_a_path_that_is_not_there_fails_the_run(self, repository):
        for name in ("./nowhere", "path:nowhere", "nowhere/", "path:HEAD"):
            assert b"no such file" in checked(repository, "a.yaml", f"--against={name}", codes=(2,)).stderr

    def test_a_manifest_beside_it_needs_no_prefix(self, shadowed):
        assert self.found(shadowed, "a.yaml") == []
