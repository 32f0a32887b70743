"""`check --shard` and `report merge`: together the jobs of a matrix say what one run says."""

from __future__ import annotations

import json
import re
import shutil
from functools import cache

import pytest
from click.testing import CliRunner
from command_line import ROOT

from kubelint_gpu.cli.main import main

SECONDS = re.compile(r'(?<="seconds": )[\d.]+')


def command(*arguments):
    ran = CliRunner().invoke(main, [str(one) for one in arguments], standalone_mode=False)
    if ran.exception is not None:
        raise ran.exception
    return ran.return_value, SECONDS.sub("0", ran.stdout)


def filled(folder):
    """Rules' bad examples, a file each, without findings about all workloads of a run."""
    (folder / "m").mkdir()
    for number, path in enumerate(sorted((ROOT / "rules").glob("KLG[0235]*/bad/*.yaml"))):
        shutil.copyfile(path, folder / "m" / f"{number:03}.yaml")
    return folder


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return filled(tmp_path)


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """The texts of the reports in a format by so many jobs, the same ones once; of 0 jobs, that of a whole run."""
    folder = filled(tmp_path_factory.mktemp("shards"))

    @cache
    def made(form, of):
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            return [(folder / name).read_text() for name in shards(folder, form, of)] if of else [alone(folder, form)]

    return made


@pytest.fixture
def written(tmp_path, monkeypatch, reports):
    """Writes the reports of so many jobs into the working directory; their names."""
    monkeypatch.chdir(tmp_path)

    def write(form, of):
        names = [f"{number}.{form}" for number in range(1, of + 1)]
        for name, text in zip(names, reports(form, of), strict=True):
            (tmp_path / name).write_text(text)
        return names

    return write


def shards(folder, form, of, *more):
    assert (folder / "m").is_dir()
    names = []
    for number in range(1, of + 1):
        names.append(f"{number}.{form}")
        options = ("--isolated", "--ignore", "KLG301", "--output-format", form, "--output-file", names[-1])
        command("check", "m", "-i", ROOT / "examples/tracker/nodes.yaml", *options, "--shard", f"{number}/{of}", *more)
    return names


def alone(folder, form):
    assert (folder / "m").is_dir()
    options = ("--isolated", "--ignore", "KLG301", "--output-format", form, "--exit-zero")
    return command("check", "m", "-i", ROOT / "examples/tracker/nodes.yaml", *options)[1]


@pytest.mark.parametrize("of", [1, 3, 8])
def test_merged_reports_are_those_of_one_run(written, reports, of):
    merged = json.loads(command("report", "merge", *written("json", of))[1])
    whole = json.loads(reports("json", 0)[0])
    told = {dumped["fingerprint"] for dumped in whole["findings"]}
    assert {one["fingerprint"] for one in merged["findings"]} == told
    for name in ("files", "documents", "workloads", "nodes", "ignored"):
        assert merged["summary"][name] == whole["summary"][name]
    assert sum(merged["summary"][name] for name in ("errors", "warnings", "notes")) == len(merged["findings"])


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_one_report_merged_is_itself(written, reports, form):
    (name,) = written(form, 1)
    assert [command("report", "merge", name)[1]] == [SECONDS.sub("0", reports(form, 1)[0])] == reports(form, 0)


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_the_order_of_the_reports_does_not_count_and_what_is_told_twice_is_told_once(written, form):
    names = written(form, 3)
    first = command("report", "merge", *names)[1]
    assert command("report", "merge", *reversed(names), names[0])[1].count('"fingerprint"') == first.count(
        '"fingerprint"'
    )
    assert command("report", "merge", *reversed(names))[1] == first


def test_sarif_has_the_results_and_rules_of_all(written, reports):
    log = json.loads(command("report", "merge", *written("sarif", 3))[1])
    whole = json.loads(reports("sarif", 0)[0])

    def prints(found):
        return sorted(one["partialFingerprints"]["kubelintGpu/v1"] for one in found["runs"][0]["results"])

    assert prints(log) == prints(whole)
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [one["id"] for one in rules] == sorted({one["ruleId"] for one in run["results"]})
    assert all(rules[one["ruleIndex"]]["id"] == one["ruleId"] for one in run["results"])
    levels = [("error", "warning", "note").index(one["level"]) for one in run["results"]]
    assert levels == sorted(levels)


def test_each_unit_has_one_job_whatever_stands_beside_it(folder, reports):
    def held(texts):
        return [{one["path"] for one in json.loads(text)["findings"]} for text in texts]

    before = held(reports("json", 3))
    # classes that others name stay
    for path in [one for one in sorted((folder / "m").iterdir())[::2] if "PriorityClass\n" not in one.read_text()]:
        path.unlink()
    after = held((folder / name).read_text() for name in shards(folder, "json", 3))
    for was, now in zip(before, after, strict=True):
        assert now <= was


def test_renders_of_a_common_base_go_to_one_job():
    from kubelint_gpu.workspace.project.shards import _join, _stands_for

    first: dict[str, str] = {}
    for names in (["b", "x"], ["c", "y"], ["a", "x", "y"], ["d"]):
        _join(first, names)
    assert {_stands_for(first, name) for name in "abcxy"} == {"a"}
    assert _stands_for(first, "d") == "d"


@pytest.mark.parametrize("text", ["0/2", "3/2", "1", "1/0", "a/b", "-1/2", "1/2/3", "1/99999", "²/3"])
@pytest.mark.usefixtures("folder")
def test_what_is_no_share_is_refused(text):
    with pytest.raises(Exception, match="no share such as 2/8"):
        command("check", "m", "--shard", text)


@pytest.mark.usefixtures("folder")
def test_a_baseline_is_written_of_all_files():
    with pytest.raises(Exception, match="needs all files"):
        command("check", "m", "--shard", "1/2", "--write-baseline", "b.json")


@pytest.mark.parametrize(
    ("texts", "why"),
    [
        (["{}"], "must all be JSON reports, or all SARIF logs"),
        (["[]", "[]"], "must all be JSON reports"),
        (['{"findings": [{}], "version": "1", "summary": {}}'], "no report of kubelint-gpu"),
        (
            ['{"findings": [], "version": "1", "summary": {}}', '{"findings": [], "version": "2", "summary": {}}'],
            "releases",
        ),
        (["{"], "cannot read"),
        (['{"runs": []}'], "no report of kubelint-gpu"),
    ],
)
def test_what_cannot_be_merged_says_why(tmp_path, monkeypatch, texts, why):
    monkeypatch.chdir(tmp_path)
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.json").write_text(text)
    with pytest.raises(Exception, match=why):
        command("report", "merge", *[f"{number}.json" for number in range(len(texts))])


def test_a_file_is_written_and_a_job_that_failed_is_told(written, tmp_path):
    names = written("json", 3)
    report = json.loads((tmp_path / names[0]).read_text())
    (tmp_path / names[0]).write_text(json.dumps({**report, "failed": "a rule failed"}))
    assert command("report", "merge", *names, "--output-file", "all.json") == (0, "")
    assert json.loads((tmp_path / "all.json").read_text())["failed"] == "a rule failed"
