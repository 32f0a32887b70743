"""Several clusters, what runs beside, what a hook's call is about, and what if."""

from __future__ import annotations

import pytest
from command_line import READY as TRACKED
from command_line import check_json, kubelint
from two_clusters import SMALL, git, laid_out, write

from kubelint_gpu.workspace.project.targets import kustomized_folders

TWO = SMALL.replace("count: 1", "count: 2")


@pytest.fixture
def repository(tmp_path):
    return laid_out(tmp_path)


def configure(repository, text):
    write(repository, {".kubelint-gpu.yaml": text})
    git(repository, "add", "-A")


def places(ran):
    return [(finding["path"], finding["code"]) for finding in ran.json["findings"]]


TARGETS = """\
select: KLG1
targets:
  deploy/prod/**: clusters/small.yaml
  deploy/lab/**: clusters/roomy.yaml
"""


def test_each_file_is_checked_against_the_cluster_that_it_goes_to(repository):
    configure(repository, TARGETS)
    ran = check_json("deploy", cwd=repository)
    assert places(ran) == [("deploy/prod/tracker.yaml", "KLG101")]
    assert ran.json["findings"][0]["message"].endswith(" (cluster small)")


def test_a_file_that_goes_to_several_clusters_is_checked_against_each_and_the_finding_says_which(repository):
    configure(
        repository, "select: KLG1\ntargets:\n  deploy/**: clusters/small.yaml\n  deploy/lab/**: clusters/roomy.yaml\n"
    )
    ran = check_json("deploy", cwd=repository)
    assert places(ran) == [("deploy/lab/tracker.yaml", "KLG101"), ("deploy/prod/tracker.yaml", "KLG101")]
    assert all(finding["message"].endswith(" (cluster small)") for finding in ran.json["findings"])


def test_the_same_finding_in_two_clusters_is_one_that_names_both(repository):
    write(
        repository,
        {"clusters/other.yaml": SMALL.replace("name: small", "name: other")},
    )
    configure(
        repository, "select: KLG101\ntargets: {deploy/prod/**: clusters/small.yaml, deploy/**: clusters/other.yaml}\n"
    )
    found = check_json("deploy/prod", cwd=repository).json["findings"]
    assert [finding["message"].rpartition(" (")[2] for finding in found] == ["clusters small, other)"]


def test_what_no_target_matches_goes_to_the_one_inventory(repository):
    configure(
        repository, "select: KLG1\ninventory: clusters/small.yaml\ntargets: {deploy/lab/**: clusters/roomy.yaml}\n"
    )
    assert places(check_json("deploy", cwd=repository)) == [("deploy/prod/tracker.yaml", "KLG101")]


def test_an_inventory_of_the_command_line_stands_in_place_of_all(repository):
    configure(repository, TARGETS)
    ran = check_json("deploy", "-i", "clusters/roomy.yaml", cwd=repository)
    assert places(ran) == []


def test_what_runs_beside_holds_its_gpus(repository):
    """Two on a node of two GPUs: each rollout by itself has room only where the other is not there."""
    other = TRACKED.replace("object-tracker", "second-tracker")
    write(repository, {"two.yaml": TWO, "deploy/prod/second.yaml": other})
    configure(repository, "select: KLG1\ninventory: two.yaml\n")
    assert places(check_json("deploy/prod/tracker.yaml", cwd=repository)) == []
    configure(repository, "select: KLG1\ninventory: two.yaml\ncontext: [deploy/prod/**]\n")
    ran = check_json("deploy/prod/tracker.yaml", cwd=repository)
    assert places(ran) == [("deploy/prod/tracker.yaml", "KLG101")]
    assert "second-tracker" in ran.out


def test_an_untracked_file_runs_nowhere(repository):
    write(repository, {"two.yaml": TWO})
    configure(repository, "select: KLG1\ninventory: two.yaml\ncontext: [deploy/prod/**]\n")
    write(repository, {"deploy/prod/second.yaml": TRACKED.replace("object-tracker", "second-tracker")})
    assert places(check_json("deploy/prod/tracker.yaml", cwd=repository)) == []


def test_the_rest_of_a_unit_is_read_and_only_the_named_file_is_reported(repository):
    other = TRACKED.replace("object-tracker", "second-tracker")
    write(repository, {"deploy/prod/second.yaml": other})
    configure(repository, "select: KLG109\ninventory: clusters/small.yaml\nunits: {prod: [deploy/prod/**]}\n")
    every = check_json("deploy", cwd=repository)
    # both ask for one GPU: that is one finding about two files
    assert places(every) == [("deploy/prod/tracker.yaml", "KLG109")]
    assert "deploy/prod/second.yaml" in {one["path"] for one in every.json["findings"][0]["related"]}
    assert {path for path, _ in places(check_json("deploy/prod/second.yaml", cwd=repository))} == {
        "deploy/prod/second.yaml"
    }


@pytest.mark.parametrize("changed", ["clusters/small.yaml", ".kubelint-gpu.yaml"])
def test_a_changed_inventory_or_configuration_makes_everything_a_target(repository, changed):
    configure(repository, "select: KLG101\ninventory: clusters/small.yaml\n")
    write(repository, {"untracked.yaml": TRACKED})
    ran = check_json(changed, cwd=repository)
    assert places(ran) == [("deploy/lab/tracker.yaml", "KLG101"), ("deploy/prod/tracker.yaml", "KLG101")]


@pytest.mark.parametrize("baseline", ["", "baseline: known.json\n"])
def test_a_commit_of_inventory_and_configuration_says_once_that_all_is_checked(repository, baseline):
    configure(repository, f"inventory: clusters/small.yaml\n{baseline}")
    write(repository, {"known.json": '{"version": 1, "findings": []}'})
    ran = kubelint("check", "--hook", ".kubelint-gpu.yaml", "clusters/small.yaml", cwd=repository)
    name, add = ("known.json", "") if baseline else (".kubelint-gpu-baseline.json", " and add `baseline: ")
    told = ".kubelint-gpu.yaml and clusters/small.yaml decide about all manifests: all are checked. "
    assert ran.err.count("decide") == 1
    assert f"{told}To accept what is there, run `kubelint-gpu check --write-baseline {name}`{add}" in ran.err


def test_the_hook_is_given_configurations_and_inventories():
    """Its pattern has to match them, or their change would start nothing."""
    from identify.identify import tags_from_filename

    for name in (".kubelint-gpu.yaml", "cluster.yaml", "inventory/prod.json"):
        assert {"yaml", "json"} & tags_from_filename(name)


def test_a_note_on_the_inventory_is_no_finding_of_a_call_about_a_manifest(repository):
    """One that makes it unusable is: nothing else can be said then."""
    write(repository, {"clusters/small.yaml": SMALL.replace("count: 1", "count: 1, memry: 3")})
    configure(repository, "inventory: clusters/small.yaml\n")
    ran = check_json("deploy/prod/tracker.yaml", cwd=repository)
    assert ran.code == 2
    assert "KLG601" in ran.codes


def test_fixes_of_a_file_that_goes_to_two_clusters_are_made_once(repository):
    configure(
        repository, "select: KLG101\ntargets: {deploy/prod/**: clusters/small.yaml, deploy/**: clusters/roomy.yaml}\n"
    )
    ran = kubelint("check", "deploy/prod", "--fix", "--unsafe-fixes", cwd=repository)
    assert ran.err.count("fixed KLG101") == 1
    assert check_json("deploy/prod", cwd=repository).codes == []


def test_a_file_outside_of_a_repository_is_looked_for_in_its_folder_where_there_are_too_many(tmp_path, monkeypatch):
    base, overlay = tmp_path / "base", tmp_path / "overlay"
    for folder in (base, overlay):
        folder.mkdir()
        (folder / "kustomization.yaml").write_text("resources: []\n")
    (base / "a.yaml").write_text("")
    monkeypatch.chdir(tmp_path)
    assert kustomized_folders(["base/a.yaml"], tracked_only=True) == (str(base), str(overlay))
    for number in range(2_001):
        (tmp_path / f"n{number}").mkdir()
    assert kustomized_folders(["base/a.yaml"], tracked_only=True) == (str(base),)
