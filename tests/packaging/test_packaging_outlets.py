"""The other ways to get the program: the kubectl plugin, the image, GitLab's template, the source distribution."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml
from outside import ask

ROOT = Path(__file__).resolve().parent.parent.parent
BESIDE = Path(sys.executable).parent
KREW = ROOT / "packaging" / "krew"
GITLAB = ROOT / "examples" / "gitlab" / "kubelint-gpu.gitlab-ci.yml"
TRACKER = ("examples/tracker/tracker.yaml", "-i", "examples/tracker/inventory.yaml")


def run(*command, cwd=ROOT, **environment):
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=os.environ | environment, capture_output=True, text=True, check=False
    )


def read_only(path, *programs):
    """A folder for PATH that holds some programs of this machine and nothing else."""
    folder = path / "bin"
    folder.mkdir()
    for name in programs:
        (folder / name).symlink_to(shutil.which(name))
    return folder


def test_kubectl_finds_the_plugin(request):
    asked = ask(
        "kubectl",
        ["lint-gpu", "check", *TRACKER, "--select", "KLG101", "--statistics"],
        cwd=ROOT,
        about=b"",
        recording="kubectl-plugin",
        update=request.config.getoption("--update"),
    )
    assert "KLG101  rollout-deadlock" in asked.out


def test_kubectl_shows_the_plugins_help_under_its_own_name(request):
    asked = ask(
        "kubectl",
        ["lint-gpu", "--help"],
        cwd=ROOT,
        about=b"",
        recording="kubectl-plugin-help",
        update=request.config.getoption("--update"),
    )
    assert asked.out.startswith("Usage: kubectl lint-gpu [OPTIONS] COMMAND")


@pytest.fixture(scope="module")
def krew(tmp_path_factory):
    folder = tmp_path_factory.mktemp("krew")
    assert run("bash", KREW / "manifest", "1.2.3", folder).returncode == 0
    return folder


def test_the_krew_manifest_names_the_archive_by_its_hash(krew):
    import hashlib

    manifest = yaml.safe_load((krew / "lint-gpu.yaml").read_text())
    assert manifest["apiVersion"] == "krew.googlecontainertools.github.com/v1alpha2"
    assert manifest["kind"] == "Plugin"
    assert manifest["metadata"] == {"name": "lint-gpu"}
    spec = manifest["spec"]
    assert spec["version"] == "v1.2.3"
    assert 0 < len(spec["shortDescription"]) <= 50
    (platform,) = spec["platforms"]
    assert platform["uri"].endswith("/v1.2.3/kubectl-lint-gpu-1.2.3.tar.gz")
    archive = krew / "kubectl-lint-gpu-1.2.3.tar.gz"
    assert platform["sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    with tarfile.open(archive) as members:
        modes = {member.name: member.mode for member in members}
    assert modes == {"LICENSE": 0o644, platform["bin"]: 0o755}


def test_the_same_version_gives_the_same_archive(krew, tmp_path):
    run("bash", KREW / "manifest", "1.2.3", tmp_path)
    for name in ("lint-gpu.yaml", "kubectl-lint-gpu-1.2.3.tar.gz"):
        assert (tmp_path / name).read_bytes() == (krew / name).read_bytes()
    assert run("bash", KREW / "manifest", "v1", tmp_path).returncode == 2


def test_the_installed_plugin_runs_the_program_uv_or_pipx_and_else_says_what_it_needs(krew, tmp_path):
    with tarfile.open(krew / "kubectl-lint-gpu-1.2.3.tar.gz") as members:
        members.extract("kubectl-lint_gpu", tmp_path)
    plugin = tmp_path / "kubectl-lint_gpu"
    path = read_only(tmp_path, "sh")
    ran = run(plugin, "rules", PATH=str(path))
    assert ran.returncode == 2
    assert "needs kubelint-gpu, uv or pipx" in ran.stderr
    for name in ("pipx", "uvx", "kubelint-gpu"):
        (path / name).write_text(f'#!/bin/sh\necho {name} "$@"\n')
        (path / name).chmod(0o755)
        ran = run(plugin, "check", "a b.yaml", PATH=str(path))
        assert ran.stdout.startswith(name)
        assert ran.stdout.endswith("check a b.yaml\n")
        assert ("@v1.2.3 kubelint-gpu" in ran.stdout) is (name != "kubelint-gpu")


def test_the_image_is_pinned_small_and_not_root(request):
    path = ROOT / "packaging" / "Dockerfile"
    text = path.read_text()
    assert len(set(re.findall(r"^FROM (python:\d+\.\d+\.\d+-slim-\w+)", text, re.MULTILINE))) == 1
    assert re.search(r"^USER \d+:\d+$", text, re.MULTILINE)
    assert "--require-hashes" in text
    ignored = path.with_name("Dockerfile.dockerignore").read_text().splitlines()
    copied = [word for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.MULTILINE) for word in line.split()[:-1]]
    assert sorted(copied) == sorted(line[1:] for line in ignored if line.startswith("!"))
    assert all((ROOT / name).exists() for name in copied)
    asked = ask(
        "hadolint",
        ["--no-color", "packaging/Dockerfile"],
        cwd=ROOT,
        about=path.read_bytes(),
        recording="lint-hadolint",
        update=request.config.getoption("--update"),
    )
    assert (asked.code, asked.out) == (0, "")


@pytest.mark.parametrize(
    ("schema", "file"),
    [("gitlab-ci", GITLAB), ("github-actions", ROOT / "action.yml")]
    + [("github-workflows", path) for path in sorted((ROOT / ".github" / "workflows").glob("*.yml"))],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_files_of_ci_systems_are_what_their_schemas_say(schema, file, request):
    asked = ask(
        "check-jsonschema",
        ["--builtin-schema", f"vendor.{schema}", file.relative_to(ROOT)],
        cwd=ROOT,
        about=file.read_bytes(),
        recording=f"schema-{file.stem}-{schema}",
        update=request.config.getoption("--update"),
    )
    assert asked.code == 0, asked.out
    assert "ok -- validation done" in asked.out


@pytest.fixture
def project(tmp_path):
    """A GitLab project with one commit behind the merge request's."""
    from hook_repository import git

    for name in ("tracker.yaml", "inventory.yaml"):
        shutil.copy(ROOT / "examples" / "tracker" / name, tmp_path)
    text = (tmp_path / "tracker.yaml").read_text()
    (tmp_path / "tracker.yaml").write_text(text.replace("tracker-node", "gpu-1"))
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "before")
    (tmp_path / "tracker.yaml").write_text(text)
    git(tmp_path, "commit", "-qam", "after")
    return tmp_path


def job(project, **variables):
    """The template's script, with the program of this environment in the place of the installed one."""
    template = yaml.safe_load(GITLAB.read_text())["kubelint-gpu"]
    script = "\n".join(template["script"]).replace("/tmp/kubelint-gpu/bin", str(BESIDE))  # noqa: S108 as in the template
    given = {name: str(value) for name, value in template["variables"].items()}
    return run("bash", "-euo", "pipefail", "-c", script, cwd=project, **given | variables)


def test_gitlabs_job_writes_code_quality_and_tests_and_fails(project):
    ran = job(project, KUBELINT_GPU_PATHS="tracker.yaml", KUBELINT_GPU_INVENTORY="inventory.yaml")
    assert ran.returncode == 1, ran.stderr
    issues = json.loads((project / "gl-code-quality-report.json").read_text())
    assert "rollout-deadlock" in [issue["check_name"] for issue in issues]
    assert all({"description", "check_name", "fingerprint", "severity", "location"} == set(issue) for issue in issues)
    assert "<testsuites" in (project / "kubelint-gpu.junit.xml").read_text()
    assert "error[KLG101]" in ran.stdout


def test_gitlabs_job_takes_further_arguments(project):
    given = {"KUBELINT_GPU_PATHS": "tracker.yaml", "KUBELINT_GPU_INVENTORY": "inventory.yaml"}
    assert job(project, **given, KUBELINT_GPU_ARGUMENTS="--select KLG301 --fail-on=note").returncode == 1
    assert job(project, **given, KUBELINT_GPU_ARGUMENTS="--select KLG301 --fail-on=warning").returncode == 0


def test_gitlabs_job_compares_a_merge_request_with_its_target(project):
    from hook_repository import git

    base = git(project, "rev-parse", "HEAD~1").strip()
    ran = job(
        project,
        KUBELINT_GPU_PATHS="tracker.yaml",
        KUBELINT_GPU_INVENTORY="inventory.yaml",
        CI_MERGE_REQUEST_DIFF_BASE_SHA=base,
    )
    said = " ".join(ran.stdout.split())
    assert re.search(r"warning\[KLG101\]: \S+ \S+: this change rolls out, and the next rollout never ends", said)
    assert "--verbose shows 3 notes" in said


@pytest.fixture(scope="module")
def distributions(tmp_path_factory):
    """The source distribution, and the wheel that is built from it."""
    out = tmp_path_factory.mktemp("dist")
    ran = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, ROOT)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return out


def test_the_source_distribution_builds_the_wheel_and_keeps_what_contributors_need(distributions):
    (sdist,) = distributions.glob("*.tar.gz")
    with tarfile.open(sdist) as members:
        names = {name.partition("/")[2] for name in members.getnames()}
    assert {"README.md", "LICENSE", "CHANGELOG.md", "action.yml", "rules/README.md", "kubelint_gpu/py.typed"} <= names
    assert not [name for name in names if name.startswith((".ci/", "tests/golden/")) or "__pycache__" in name]


def test_the_wheel_has_both_commands(distributions):
    (wheel,) = distributions.glob("*.whl")
    with zipfile.ZipFile(wheel) as members:
        (name,) = (name for name in members.namelist() if name.endswith("/entry_points.txt"))
        commands = members.read(name).decode()
    assert {"kubelint-gpu", "kubectl-lint_gpu"} <= set(
        re.findall(r"^([\w-]+) ?= ?kubelint_gpu\.", commands, re.MULTILINE)
    )


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("uvx", ["--quiet", "--from", "WHEEL", "kubelint-gpu"]),
        ("pipx", ["run", "--quiet", "--spec", "WHEEL", "kubelint-gpu"]),
    ],
)
def test_the_wheel_runs_without_being_installed(name, arguments, distributions, tmp_path, request):
    (wheel,) = distributions.glob("*.whl")
    with_wheel = [str(wheel) if word == "WHEEL" else word for word in arguments]
    asked = ask(
        name,
        [],
        late=[*with_wheel, "check", *TRACKER, "--select", "KLG101", "--statistics"],
        cwd=ROOT,
        about=" ".join(arguments).encode(),
        recording=f"run-{name}",
        update=request.config.getoption("--update"),
        clean=lambda text: text.replace(str(tmp_path), "TMP"),
    )
    assert asked.code == 1, asked.err
    assert "KLG101  rollout-deadlock" in asked.out


def test_ci_installs_every_program_that_tests_replay():
    tools = (ROOT / ".ci" / "tools").read_text()
    for name in (
        "act",
        "actionlint",
        "check-jsonschema",
        "hadolint",
        "pipx",
        "sarif",
        "shellcheck",
        "tmux",
        "uvx",
        "zizmor",
    ):
        assert re.search(rf"\b{name}\b", tools), name
