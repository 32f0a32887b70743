"""What a person reads of capacity and of drains."""

from __future__ import annotations

from command_line import kubelint
from full_clusters import budget, laid_out, node, priority, running, workload

from kubelint_gpu.capacity.capacity_text import capacity_text, demanded, departure_text
from kubelint_gpu.capacity.departures import at_rest, departure, with_losses


def text(found, width=80):
    return list(capacity_text(with_losses(at_rest(found)), width))


def test_a_cluster_with_room_says_so(tmp_path):
    told = text(laid_out(tmp_path, [node("m", 4), node("n", 4)], [workload("a")]))
    assert told[0].split() == ["GPU", "NODES", "GPUS", "DECLARED", "FREE", "ONE", "BY", "ONE", "AT", "ONCE"]
    assert told[1].split() == ["L4", "2", "8", "1", "7", "1", "1"]
    assert told[-1] == "Every pod finds a node, every rollout finds room, and any one node can be lost."


def test_what_is_asked_for_and_held_by_others_has_columns_of_its_own(tmp_path):
    told = text(laid_out(tmp_path, [node("m", 4), running("x", "m", 1)], [workload("a", 2, 2)]))
    row = dict(zip(told[0].replace("ONE BY ONE", "ROLLED").split(), told[1].split(), strict=False))
    assert {name: row[name] for name in ("GPUS", "OTHERS", "DECLARED", "PENDING", "FREE")} == {
        "GPUS": "4",
        "OTHERS": "1",
        "DECLARED": "2",
        "PENDING": "2",
        "FREE": "1",
    }


def test_a_rollout_that_preempts_is_not_said_to_find_room_alone(tmp_path):
    high, low = workload("a", 2, 1, priorityClassName="top"), workload("b", 2, 1)
    told = "\n".join(text(laid_out(tmp_path, [node("n", 4)], [priority("top", 100), high, low])))
    assert "only by preempting other pods:\n  Deployment team/a: 1 pod with 1 GPU" in told
    assert "find room alone" not in told


def test_nodes_whose_loss_leaves_the_same_pending_are_one_sentence(tmp_path):
    nodes = [node("m", 2, cpu=9), node("n", 2), node("o", 2)]
    told = "\n".join(text(laid_out(tmp_path, nodes, [workload("a", 3, 2)])))
    assert "lost:\n  any one of m, n and o: 1 pod of Deployment team/a stays Pending" in told


def test_what_finds_no_room_is_listed(tmp_path):
    told = "\n".join(text(laid_out(tmp_path, [node("n", 4)], [workload("a", 2, 2), workload("b", 2, 1)])))
    assert "Pods that find no node at rest:\n  Deployment team/b: 2 of 2 pods with 1 GPU each" in told
    assert "even one after the other:\n  L4: 0 free, and a rollout takes 2" in told
    assert "no room for a new pod beside the old ones:\n  Deployment team/a: 1 pod with 2 GPUs" in told
    assert "What cannot be lost:\n  node n: 2 pods of Deployment team/a stay Pending" in told


def test_quotas_that_allow_too_little_are_listed(tmp_path):
    quota = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "gpus", "namespace": "team"},
        "spec": {"hard": {"requests.nvidia.com/gpu": 2}},
    }
    told = "\n".join(text(laid_out(tmp_path, [node("n", 8)], [workload("a", 3, 1), quota]), 100))
    heading = "Quotas that refuse some of these pods, which count here all the same:"
    assert f"{heading}\n  team/gpus: allows 2 requests.nvidia.com/gpu; Deployment team/a asks for 3: 1 too few" in told
    assert "Every pod finds a node" not in told


def test_the_share_of_missing_pods_is_that_of_all_pods(tmp_path):
    told = "\n".join(text(laid_out(tmp_path, [node("m", 1), node("n", 2)], [workload("a", 5, 1)])))
    assert "Deployment team/a: 2 of its 5 pods are missing at once (n)" in told


def test_no_line_is_wider_than_the_terminal(tmp_path):
    many = [workload(f"a-workload-with-a-long-name-{number}", 1, 1) for number in range(8)]
    told = text(laid_out(tmp_path, [node("n", 8)], many))
    assert max(map(len, told)) <= 80
    assert "and 4 more stay Pending" in " ".join(line.strip() for line in told)


def test_a_drain_names_places_and_budgets(tmp_path):
    manifests = [workload("a", 2, 1), workload("b", 1, 0), budget("keep", "a", minAvailable=2)]
    found = laid_out(tmp_path, [node("m", 4), node("n", 4)], manifests)
    assert list(departure_text(departure(found, ["m"], "m"), 80)) == [
        "m: 3 pods must move, and all find a node.",
        "  Deployment team/a: 2 pods with 1 GPU each",
        "    goes to n (2)",
        "    blocked: PodDisruptionBudget keep lets no pod be missing",
        "  Deployment team/b: 1 pod",
        "    goes to n",
        "    no PodDisruptionBudget: its only pod is missing until the new one is ready",
    ]


def test_a_table_that_is_too_wide_has_its_figures_below_each_name(tmp_path):
    told = text(laid_out(tmp_path, [node("n", 8, model="A" * 60)], [workload("a", 3)]))
    assert told[:3] == ["A" * 60, "  NODES 1, GPUS 8, DECLARED 3, FREE 5", "  ONE BY ONE 1, AT ONCE 1"]


def test_a_drain_that_a_budget_blocks_is_listed(tmp_path):
    found = laid_out(tmp_path, [node("m", 4), node("n", 4)], [workload("a", 1), budget("keep", "a", minAvailable=1)])
    lines = text(found)
    at = lines.index("Drains that a PodDisruptionBudget blocks:")
    assert lines[at + 1] == "  node m: Deployment team/a: PodDisruptionBudget keep lets no pod be missing"


def test_the_report_page_says_what_cannot_be_lost_and_where_drained_pods_go(tmp_path):
    laid_out(tmp_path, [node("m", 4), node("n", 2)], [workload("a", 3, 2), budget("keep", "a", minAvailable=3)])
    options = ("--output-format", "html", "--output-file", "page.html")
    kubelint("check", "manifests.json", "-i", "cluster.json", *options, cwd=tmp_path)
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<summary>What cannot be lost (2)</summary>" in page
    assert "<li>node m: 2 pods of Deployment team/a stay Pending</li>" in page
    assert "<summary>Drains that a PodDisruptionBudget blocks (2)</summary>" in page
    assert "<li>node n: Deployment team/a: 1 pod Pending: no other node takes it</li>" in page


def test_without_workloads_the_report_page_says_nothing_of_drains(tmp_path):
    assert demanded(laid_out(tmp_path, [node("n", 10)], []).world, ()) == ((), ())


def test_drains_that_were_not_looked_at_are_named(tmp_path):
    found = at_rest(laid_out(tmp_path, [node("m", 4), node("n", 4)], [workload("a")]))
    lines = list(capacity_text(found, 80))
    assert lines[-2:] == [
        "Not looked at, as there are too many pods:",
        "  drains of one node after the other",
    ]
