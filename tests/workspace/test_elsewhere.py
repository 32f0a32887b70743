"""What a group of files sees of the others."""

from __future__ import annotations

import pytest

from kubelint_gpu.documents import read
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.elsewhere import MOST, Elsewhere

WEB = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web, namespace: ml}\n"


def quota(name="q", space="ml", pods=3):
    where = f", namespace: {space}" if space else ""
    return f"apiVersion: v1\nkind: ResourceQuota\nmetadata: {{name: {name}{where}}}\nspec: {{hard: {{pods: {pods}}}}}\n"


def claim(name, space="ml"):
    return f"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {{name: {name}, namespace: {space}}}\n"


def seen(mine, *others, made=()):
    groups = [
        [read(f"{number}/{place}.yaml", text.encode()) for place, text in enumerate(texts)]
        for number, texts in enumerate((mine, *others))
    ]
    return [(one.path, one.name) for one in Elsewhere(groups, made, judged=len(groups)).seen_by(0).objects]


def seen_in(first, judged=9, **files):
    """What a file sees of others, each of which is a group; `__` stands for a slash."""
    groups = [[read(f"{name.replace('__', '/')}.yaml", text.encode())] for name, text in ({"a": ""} | files).items()]
    number = [one[0].path for one in groups].index(first)
    return [one.path for one in Elsewhere(groups, judged=judged).seen_by(number).objects]


def test_a_quota_of_the_same_namespace_is_seen():
    assert seen([WEB], [quota()]) == [("1/0.yaml", "q")]


@pytest.mark.parametrize("space", ["other", ""])
def test_a_quota_of_another_namespace_or_of_any_is_not_seen(space):
    assert seen([WEB], [quota(space=space)]) == []


def test_a_quota_is_not_seen_where_the_unit_names_no_namespace():
    assert seen([WEB.replace(", namespace: ml", "")], [quota(space="default")]) == []


def test_a_claim_is_seen_by_who_names_it():
    assert seen([WEB + "claimName: data\n"], [claim("data"), claim("more")]) == [("1/0.yaml", "data")]


def test_a_claim_is_seen_if_neither_names_a_namespace():
    web, data = (one.replace(", namespace: ml", "") for one in (WEB + "claimName: data\n", claim("data")))
    assert seen([web], [data]) == [("1/0.yaml", "data")]


def test_a_group_that_declares_the_same_object_is_a_variant_and_not_seen():
    assert seen([WEB + "claimName: d\n"], [claim("d"), WEB], [claim("e")], [quota()]) == [("3/0.yaml", "q")]


def test_folders_that_declare_the_same_object_are_variants_with_all_below_them():
    files = {"dev__apps__web": WEB, "prod__apps__web": WEB, "prod__policy__q": quota(), "policy__r": quota("r")}
    assert seen_in("prod/apps/web.yaml", **files) == ["prod/policy/q.yaml", "policy/r.yaml"]
    assert seen_in("dev/apps/web.yaml", **files) == ["policy/r.yaml"]
    assert seen_in("web.yaml", web=WEB.replace("web", "other"), policy__q=quota()) == ["policy/q.yaml"]
    assert seen_in("apps/web.yaml", apps__web=WEB, q=quota()) == ["q.yaml"]
    assert seen_in("apps/web.yaml", apps__web=WEB, apps__x__web=WEB, apps__x__q=quota()) == []


def test_groups_of_one_folder_do_not_see_each_other():
    assert seen_in("apps/web.yaml", apps__web=WEB, apps__q=quota()) == []


def test_a_file_sees_those_of_its_folder_that_are_not_judged_unless_they_declare_the_same_object():
    other = WEB.replace("web", "other")
    assert seen_in("apps/web.yaml", 2, apps__web=WEB, apps__q=quota() + "---\n" + other) == ["apps/q.yaml"]
    assert seen_in("apps/web.yaml", 2, apps__web=WEB, apps__q=quota() + "---\n" + WEB) == []


@pytest.mark.parametrize("kind", ["ResourceQuota", "LimitRange", "PodDisruptionBudget"])
def test_a_quota_counts_beside_pods_of_its_namespace_and_a_budget_there_is_about_these(kind):
    other, decides = WEB.replace("web", "other"), quota().replace("ResourceQuota", kind)
    expected = ["b/q.yaml"] * (kind != "PodDisruptionBudget")
    assert seen_in("apps/web.yaml", apps__web=WEB, b__q=decides, b__other=other) == expected
    assert seen_in("apps/web.yaml", apps__web=WEB, b__q=decides, b__o=other.replace("ml", "x")) == ["b/q.yaml"]
    assert seen_in("apps/web.yaml", apps__web=WEB + "claimName: d\n", b__d=claim("d"), b__o=other) == ["b/d.yaml"]


@pytest.mark.parametrize("kind", ["PodDisruptionBudget", "Service"])
def test_what_selects_no_pod_of_its_own_folder_is_about_others(kind):
    web, other = (WEB + f"spec: {{template: {{metadata: {{labels: {{app: {name}}}}}}}}}\n" for name in ("web", "other"))
    selector = "{matchLabels: {app: web}}" if kind != "Service" else "{app: web}"
    selects = quota().replace("ResourceQuota", kind).replace("spec: {", f"spec: {{selector: {selector}, ")
    assert seen_in("apps/web.yaml", apps__web=web, b__q=selects, b__other=other.replace("web,", "other,")) == [
        "b/q.yaml"
    ]
    assert seen_in("apps/web.yaml", apps__web=web, b__q=selects, b__other=web.replace("name: web", "name: o")) == []


def test_a_namespace_makes_no_variants():
    space = "apiVersion: v1\nkind: Namespace\nmetadata: {name: ml}\n"
    assert seen([WEB, space], [quota(), space]) == [("1/0.yaml", "q")]


def test_what_two_groups_declare_alike_is_seen_once_and_not_if_they_contradict():
    assert seen([WEB], [quota()], [quota()]) == [("1/0.yaml", "q")]
    groups = [[read(f"{number}.yaml", text.encode())] for number, text in enumerate((WEB, quota(), quota(pods=4)))]
    found = Elsewhere([groups[0], *groups[1:]], judged=1).seen_by(0)
    assert (found.objects, found.uncounted) == ((), (("ResourceQuota/ml/q", ("1.yaml", "2.yaml")),))


def test_queues_that_contradict_are_all_seen_because_neither_is_missing():
    queue = "apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata: {name: q}\nspec: {cohort: a}\n"
    job = WEB.replace("name: web", "labels: {kueue.x-k8s.io/queue-name: q}, name: web")
    assert len(seen([job], [queue], [queue.replace("cohort: a", "cohort: b")])) == 2


def test_too_many_of_a_kind_are_none_of_one_cluster():
    many = [quota(f"q{number}") for number in range(MOST)]
    assert len(seen([WEB], many)) == MOST
    assert seen([WEB], many, [quota("last")], [claim("web")]) == [("3/0.yaml", "web")]


class Made(Value):
    """A render as far as it is looked at here."""

    path: str
    what: str = "kustomization"
    sources: tuple[object, ...] = ()
    origins: tuple[None, ...] = ()


def test_of_renders_kustomizations_without_a_variant_are_seen():
    base = read("base/quota.yaml", b"")
    assert seen([WEB], [quota()], made=[Made("0/0.yaml")]) == [("1/0.yaml", "q")]
    assert seen([WEB], [quota()], made=[Made("1/0.yaml", sources=(base,))]) == [("1/0.yaml", "q")]
    assert seen([WEB], [quota()], made=[Made("1/0.yaml", "chart")]) == []
    both = [Made(f"{number}/0.yaml", sources=(base,)) for number in (1, 2)]
    assert seen([WEB], [quota("dev-q")], [quota("prod-q")], made=both) == []
    assert seen([WEB], [quota()], [quota()], made=[Made("1/0.yaml")]) == [("2/0.yaml", "q")]


def alone(**files):
    """What the first of some files of one folder sees if each is judged by itself."""
    groups = [[read(f"apps/{name}.yaml", text.encode())] for name, text in files.items()]
    return [one.path for one in Elsewhere(groups, judged=len(groups), alone=True).seen_by(0).objects]


def test_files_of_a_folder_that_are_judged_alone_see_each_other_unless_they_are_variants():
    assert alone(web=WEB, q=quota()) == ["apps/q.yaml"]
    assert alone(dev=WEB, prod=WEB, q=quota()) == []
    assert alone(dev=WEB, q=quota(), r=quota(pods=4)) == []
    assert seen_in("apps/web.yaml", apps__web=WEB, apps__q=quota()) == []
