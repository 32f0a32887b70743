"""Nothing a user can hand in ends in a traceback, and one broken file hides no other."""

from __future__ import annotations

import signal
import subprocess
import time

import pytest
from command_line import COMMAND, READY, TRACKER, check_json, kubelint
from revisions import git, small

NODES = TRACKER / "nodes.yaml"
TRACKED = TRACKER / "tracker.yaml"

NODES_OF_REMARKS = (
    "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodes:\n"
    "  - {name: a, allocatable: {cpu: 16, memory: 64Gi}, gpus: {model: L4, count: 4}}\n"
)
QUOTA = "apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: %s}\nspec: {hard: {requests.nvidia.com/gpu: %s}}\n"


def test_a_missing_file_fails_the_run_and_the_others_are_checked():
    ran = check_json(TRACKED, "nowhere.yaml", "-i", NODES)
    assert ran.code == 2
    assert "nowhere.yaml" in ran.err
    assert ran.codes == ["KLG101", "KLG301"]


def test_a_directory_without_manifests_fails_the_run(tmp_path):
    ran = kubelint("check", tmp_path)
    assert ran.code == 2
    assert "no *.yaml" in ran.err


def test_without_paths_everything_below_the_configuration_is_checked_or_the_current_directory(tmp_path):
    below = tmp_path / "apps" / "tracker"
    below.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    (tmp_path / "other.yaml").write_text(TRACKED.read_text().replace("object-tracker", "other"))
    (below / "tracker.yaml").write_text(TRACKED.read_text())

    def paths(*options):
        ran = check_json("--select", "KLG114", *options, cwd=below)
        return sorted(one["path"] for one in ran.json["findings"])

    assert paths() == ["tracker.yaml"]
    (tmp_path / ".kubelint-gpu.yaml").write_text("ignore: KLG2\n")
    assert paths() == ["../../apps/tracker/tracker.yaml", "../../other.yaml"]
    assert paths("--isolated") == ["tracker.yaml"]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("broken", "nodes: [", "KLG601"),
        ("other", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\n", "not an inventory"),
        ("list", "- 1\n- 2\n", "KLG601"),
        ("typo", "apiVersion: kubelint-gpu/v1\nkind: ClusterInventory\nnodse: []\n", "nodes"),
        ("empty", "", "KLG601"),
    ],
)
def test_an_unusable_inventory_fails_the_run_with_a_place(tmp_path, name, content, said):
    path = tmp_path / f"{name}.yaml"
    path.write_text(content)
    ran = kubelint("check", TRACKED, "-i", path)
    assert ran.code == 2
    assert said in ran.out
    assert f"{name}.yaml:" in ran.out
    assert "Traceback" not in ran.out + ran.err


def test_a_missing_inventory_fails_the_run():
    ran = kubelint("check", TRACKED, "-i", "nowhere.yaml")
    assert ran.code == 2
    assert "nowhere.yaml" in ran.out
    assert "KLG301" not in ran.out, "no rule that needs the cluster is asked"
    assert "The run failed: the inventory cannot be used" in ran.out


def test_a_failed_run_says_so_in_sarif_too():
    for inventory, worked in (("nowhere.yaml", False), (NODES, True)):
        ran = kubelint("check", TRACKED, "-i", inventory, "--output-format", "sarif")
        (invocation,) = ran.json["runs"][0]["invocations"]
        assert invocation["executionSuccessful"] is worked


def test_a_binary_file_is_a_finding(tmp_path):
    path = tmp_path / "image.yaml"
    path.write_bytes(bytes(range(256)) * 10)
    ran = check_json(path)
    assert (ran.code, ran.codes) == (1, ["KLG001"])


def test_fifty_megabytes_are_a_finding_in_little_memory(tmp_path):
    path = tmp_path / "big.yaml"
    with path.open("wb") as file:
        for _ in range(50):
            file.write(b"a: 1\n# " + b"x" * (1024 * 1024 - 7) + b"\n")
    script = f"ulimit -v 800000; exec {COMMAND} check {path} --output-format json"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=False, timeout=60)
    assert ran.returncode == 1
    assert b"KLG001" in ran.stdout
    assert b"larger than" in ran.stdout


def test_a_billion_laughs_are_a_finding(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    path = tmp_path / "bomb.yaml"
    path.write_text("\n".join(lines))
    started = time.monotonic()
    ran = check_json(path)
    assert (ran.code, ran.codes) == (1, ["KLG001"])
    assert time.monotonic() - started < 30


def test_a_broken_document_costs_only_itself(tmp_path):
    text = TRACKED.read_text()
    path = tmp_path / "five.yaml"
    broken = "kind: ConfigMap\ndata: {a: b\n  c: [\n"
    path.write_text(f"kind: A\n---\nkind: B\n---\n{broken}---\n{text}")
    ran = check_json(path, "-i", NODES)
    assert ran.codes == ["KLG001", "KLG101", "KLG301"]
    found = ran.json["findings"][0]
    assert (found["code"], found["line"] in (6, 7, 8)) == ("KLG001", True)


def test_values_of_the_wrong_type_are_findings_with_a_place(tmp_path):
    path = tmp_path / "wrong.yaml"
    path.write_text(TRACKED.read_text().replace("replicas: 1", "replicas: one"))
    ran = check_json(path, "-i", NODES)
    assert ran.codes == ["KLG003"]
    (found,) = ran.json["findings"]
    assert found["line"] == 9
    assert 'must be an integer, not the string "one"' in found["message"]


def test_a_placeholder_is_told_once_and_what_rests_on_it_says_so(tmp_path):
    path = tmp_path / "placeholder.yaml"
    path.write_text(TRACKED.read_text().replace("nvidia.com/gpu: 1", "nvidia.com/gpu: ${GPUS}"))
    ran = check_json(path, "-i", NODES)
    (found,) = (one for one in ran.json["findings"] if one["code"] == "KLG003")
    assert found["severity"] == "note"
    assert "${GPUS}" in found["message"]
    (found,) = (one for one in ran.json["findings"] if one["code"] == "KLG101")
    assert (ran.code, found["severity"], found["certainty"]) == (1, "warning", "possible")
    assert found["message"].startswith("depending on ")


def test_a_file_is_read_from_standard_input():
    ran = check_json("-", "-i", NODES, "--stdin-filename", "piped.yaml", stdin=TRACKED.read_bytes())
    assert ran.codes == ["KLG101", "KLG301"]
    assert {found["path"] for found in ran.json["findings"]} == {"piped.yaml"}


def test_a_helm_template_on_standard_input_is_a_usage_error_that_names_the_command():
    ran = kubelint("check", "-", stdin=b"kind: Pod\nmetadata:\n  name: {{ .Release.Name }}\n")
    assert ran.code == 2
    assert "<stdin>:3: a Helm template that is not rendered; check what Helm prints: helm template CHART |" in ran.err


def test_crlf_and_a_byte_order_mark_change_no_line(tmp_path):
    path = tmp_path / "windows.yaml"
    path.write_bytes(b"\xef\xbb\xbf" + TRACKED.read_bytes().replace(b"\n", b"\r\n"))
    places = [
        (found["code"], found["line"], found["column"]) for found in check_json(path, "-i", NODES).json["findings"]
    ]
    plain = [
        (found["code"], found["line"], found["column"]) for found in check_json(TRACKED, "-i", NODES).json["findings"]
    ]
    assert places == plain


def test_a_reader_that_goes_away_is_no_error_message():
    script = f"{COMMAND} rules --output-format json | true"
    ran = subprocess.run(["bash", "-c", script], capture_output=True, check=False, timeout=60)
    assert ran.stderr == b""


def test_an_interrupted_run_exits_130():
    # a shell starts what runs in its background with the signal ignored, and so would be what that starts
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        process = subprocess.Popen(
            [COMMAND, "check", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    finally:
        signal.signal(signal.SIGINT, before)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert process.returncode == 130
    assert b"Traceback" not in out + err


def test_a_value_that_is_no_text_is_not_also_called_missing(tmp_path):
    terms = "{nodeSelectorTerms: [{matchExpressions: [{key: a, operator: In, values: [y]}]}]}"
    spec = f"affinity: {{nodeAffinity: {{requiredDuringSchedulingIgnoredDuringExecution: {terms}}}}}"
    path = tmp_path / "pod.yaml"
    path.write_text(
        f"apiVersion: v1\nkind: Pod\nmetadata: {{name: p}}\nspec: {{{spec}, containers: [{{name: a, image: x:1}}]}}\n"
    )
    (told,) = check_json(path).json["findings"]
    assert told["code"] == "KLG003"
    assert "must be a string" in told["message"]


CLASSED = "priorityClassName: high\n      containers:"
HIGH = "apiVersion: scheduling.k8s.io/v1\nkind: PriorityClass\nmetadata: {name: high}\nvalue: 1000\n"


@pytest.fixture
def closing(tmp_path):
    def run(files, *arguments):
        for name, text in {
            ".kubelint-gpu.yaml": "inventory: cluster.yaml\n",
            "cluster.yaml": NODES_OF_REMARKS,
            **files,
        }.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        out = kubelint("check", *arguments, cwd=tmp_path, env={"COLUMNS": "500"}).out
        return out.rpartition("\n\n")[2].splitlines()

    return run


def test_objects_that_two_directories_declare_differently_are_named(closing):
    named = small("w").replace("{name: w}", "{name: w, namespace: default}", 1)
    quotas = {f"{folder}/q.yaml": QUOTA % ("q, namespace: default", folder) for folder in ("1", "2")}
    told = "ResourceQuota default/q is declared differently in 1/q.yaml and 2/q.yaml: neither counts for other directories."
    assert closing({"apps/w.yaml": named, **quotas}, "--verbose")[1:] == [told]
    third = {"3/q.yaml": QUOTA % ("q, namespace: default", 3)}
    assert "none counts" in closing(third, "--verbose")[-1]
    many = {f"{folder}/r{n}.yaml": QUOTA % (f"r{n}, namespace: default", folder) for n in range(5) for folder in (1, 2)}
    (one,) = closing(many, "--verbose")[1:]
    assert one.startswith("6 ResourceQuotas (default/q, default/r0, ...) are declared differently in several files")


def test_a_quota_beside_pods_of_its_namespace_judges_those_of_the_next_directory(tmp_path):
    first, second = (
        small(name).replace(f"{{name: {name}}}", f"{{name: {name}, namespace: ml}}", 1) for name in ("first", "second")
    )
    quota, more = QUOTA % ("q, namespace: ml", 2), "spec:\n  replicas: %s\n"
    for folder, text in {"a": first + quota, "b": second.replace("spec:\n", more % 3, 1)}.items():
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "m.yaml").write_text(text)
    (found,) = check_json("b", cwd=tmp_path).json["findings"]
    assert (found["code"], found["certainty"], found["path"]) == ("KLG109", "certain", "b/m.yaml")
    assert "quota q, which allows 2 requests.nvidia.com/gpu and has 2 in use by its own pods" in found["message"]
    (tmp_path / "b" / "m.yaml").write_text(second.replace("spec:\n", more % 2, 1))
    ran = check_json(".", cwd=tmp_path)
    assert ran.json["findings"] == []
    assert ran.json["remarks"][0].startswith("2 units together ask for 3 requests.nvidia.com/gpu of ResourceQuota ml/q")


def test_a_line_of_a_file_that_is_only_looked_at_is_shown(tmp_path):
    git(tmp_path, "init", "-q")
    (tmp_path / "policy").mkdir()
    (tmp_path / "nodes.yaml").write_text(NODES_OF_REMARKS)
    labels = "{matchLabels: {app: a}}"
    budget = f"metadata: {{name: all, namespace: ml}}\nspec: {{minAvailable: 1, selector: {labels}}}\n"
    (tmp_path / "policy" / "pdb.yaml").write_text(f"apiVersion: policy/v1\nkind: PodDisruptionBudget\n{budget}")
    (tmp_path / "a.yaml").write_text(small("a").replace("{name: a}", "{name: a, namespace: ml}", 1))
    told = kubelint("check", "a.yaml", "-i", "nodes.yaml", "--select", "KLG112", cwd=tmp_path).out
    assert "3 │ metadata: {name: all, namespace: ml}\n" in told


def test_classes_that_two_directories_declare_differently_are_named(closing):
    files = {"apps/w.yaml": small("w").replace("containers:", CLASSED, 1), "1/p.yaml": HIGH, "2/p.yaml": HIGH}
    assert len(closing(files, "--verbose")) == 1
    differs = {"2/p.yaml": HIGH.replace("1000", "10")}
    told = (
        "PriorityClass high is declared differently in 1/p.yaml:3 and 2/p.yaml:3: the last one counts for other files."
    )
    assert closing(differs, "--verbose")[1:] == [told]
    assert closing({}, "--verbose", "apps")[1:] == [told]
    assert all("differently" not in one for one in closing({}, "--verbose", "--unit", "all"))


@pytest.mark.parametrize(
    ("other", "declared", "severity"),
    [("10", "", "warning"), ("1000", "", "error"), ("10", "  - {name: high, value: 1}\n", "error")],
    ids=["contradiction", "alike", "the inventory has it"],
)
def test_no_error_depends_on_a_class_that_two_directories_declare_differently(tmp_path, other, declared, severity):
    running = "running:\n  - {name: o, namespace: x, node: a, gpus: 4, priorityClassName: top}\n"
    classes = f"priorityClasses:\n  - {{name: top, value: 5000}}\n{declared}"
    files = {"apps/w.yaml": small("w").replace("containers:", CLASSED, 1), "1/p.yaml": HIGH}
    files |= {"2/p.yaml": HIGH.replace("1000", other), "cluster.yaml": NODES_OF_REMARKS + classes + running}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (found,) = check_json("-i", "cluster.yaml", "--select", "KLG109", cwd=tmp_path).json["findings"]
    assert found["severity"] == severity
    assert ("if PriorityClass high is as in 2/p.yaml" in found["message"]) is (severity == "warning")


def test_a_class_that_all_pods_have_makes_no_error_unsure(tmp_path):
    keeps = "{rollingUpdate: {maxSurge: 1, maxUnavailable: 0}}"
    files = {"apps/w.yaml": small("w", 4, keeps).replace("containers:", CLASSED, 1), "1/p.yaml": HIGH}
    files |= {"2/p.yaml": HIGH.replace("1000", "2000"), "cluster.yaml": NODES_OF_REMARKS}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    (found,) = check_json("-i", "cluster.yaml", "--select", "KLG101", cwd=tmp_path).json["findings"]
    assert (found["severity"], found["certainty"]) == ("error", "certain")


def test_files_of_a_directory_that_declare_the_same_object_are_named(closing):
    files = {f"apps/{name}.yaml": small("w") for name in ("dev", "prod")}
    told = "Deployment w is declared in apps/dev.yaml and apps/prod.yaml: each file of their directory is judged by itself."
    assert closing({**files, "b/w.yaml": small("w")}, "--verbose")[1:] == [told]
    assert closing({}, "--verbose", "--unit", "file", "apps")[1:] == []
    assert closing({"apps/prod.yaml": HIGH, "apps/dev.yaml": HIGH}, "--verbose", "apps")[1:] == [
        told.replace("Deployment w", "PriorityClass high")
    ]


def test_classes_of_one_unit_that_only_look_like_a_patch_contradict(tmp_path):
    for name, text in {"p": HIGH, "q": HIGH.replace("1000", "10") + "description: low\n"}.items():
        (tmp_path / f"{name}.yaml").write_text(text)
    assert check_json(".", "--unit", "all", cwd=tmp_path).codes == ["KLG007"]


@pytest.mark.parametrize("tracked", [False, True], ids=["without git", "untracked"])
def test_objects_of_the_next_folder_are_seen_if_git_does_not_track_them(tmp_path, tracked):
    named = small("w").replace("{name: w}", "{name: w, namespace: ml}", 1).replace("containers:", CLASSED, 1)
    files = {"apps/w.yaml": named, "platform/c.yaml": HIGH, "policy/q.yaml": QUOTA % ("q, namespace: ml", 0)}
    for name, text in {"cluster.yaml": NODES_OF_REMARKS, **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    if tracked:
        git(tmp_path, "init", "-q")
    ran = check_json("apps", "-i", "cluster.yaml", cwd=tmp_path)
    assert "KLG302" not in ran.codes
    assert "KLG109" in ran.codes
    (tmp_path / "policy" / "q.yaml").unlink()
    (tmp_path / "platform" / "c.yaml").unlink()
    assert "KLG302" in check_json("apps", "-i", "cluster.yaml", cwd=tmp_path).codes


def test_a_kustomization_around_a_named_file_is_rendered_without_git_and_what_none_takes_in_is_said(closing, tmp_path):
    git(tmp_path, "init", "-q")
    files = {"base/kustomization.yaml": "resources: [w.yaml]\n", "base/w.yaml": READY, "base/other.yaml": small("o")}
    first = closing(files, "base/w.yaml")
    assert "2 files as one unit (base), 1 workload" in first[0]
    (last,) = closing(files, "base/other.yaml")[1:]
    assert last == "base/other.yaml is judged as it stands: no kustomization around it or in git takes it in."
    (both,) = closing({"base/third.yaml": small("t")}, "base/other.yaml", "base/third.yaml")[-1:]
    assert both.startswith("base/other.yaml and base/third.yaml are judged as they stand: no kustomization around them")
    assert closing(files, "base")[0].startswith("4 files in 2 units (base/ and base), 3 workloads checked")
    assert closing({"plain/a.yaml": small("a")}, "plain/a.yaml") == ["1 file, 1 workload checked: 1 note"]


def test_units_that_ask_for_more_than_there_is_together_are_told_in_one_line(closing):
    files = {f"{name}/d.yaml": small(name).replace("spec:", "spec:\n  replicas: 3", 1) for name in ("one", "two")}
    assert closing(files)[-1].startswith("2 units together ask for 6 nvidia.com/gpu in the cluster, which has 4: ")
    assert closing(files, "one")[-1].startswith("1 file, 1 workload checked: ")


def test_the_configuration_and_the_inventory_are_no_files_of_manifests(closing):
    assert closing({"one/d.yaml": small("one")})[-1].startswith("1 file, 1 workload checked: ")
    assert closing({}, "cluster.yaml", "--isolated") == ["Nothing to check: no manifest was given or found."]
