"""GitOps objects that kustomizations and charts render: patched, filled in, generated, or applied by each other."""

from __future__ import annotations

import pytest
from helm_runs import APPLICATION, HELM_RELEASE, PLATFORM_CHART, POD, SELECTED, chart, committed, git, inventory
from kustomize_fixtures import program

__all__ = ["program"]
HEAD = "apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, metadata: {name: blue, namespace: vision}"
FLUX = """\
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: web, namespace: vision}
spec:
  path: ./dev
  sourceRef: {kind: GitRepository, name: platform}
  postBuild:
    substitute: {gpus: "1"}
"""
BASE = {**PLATFORM_CHART, "base/kustomization.yaml": "resources: [object.yaml]\n"}


def overlay(patch, name="dev"):
    text = f"resources: [../base]\npatches:\n  - patch: |\n      {patch}\n"
    return {f"{name}/kustomization.yaml": text}


def patched(spec, name="dev"):
    return overlay(f"{{{HEAD}, spec: {spec}}}", name)


@pytest.fixture
def judged(check, tree, program):
    def run(files, *arguments):
        return check(tree(inventory(files)), *(arguments or (".",)), "--kustomize", program, *SELECTED)

    return run


@pytest.mark.parametrize(
    ("values", "spec", "told"),
    [
        ("{gpus: 1}", "{values: {gpus: 9}}", [("KLG503", "dev/kustomization.yaml", 4)]),
        ("{gpus: 2}", "{interval: 1h}", [("KLG503", "base/object.yaml", 9)]),
        ("{gpus: 9}", "{values: {gpus: 1}}", []),
        ("{gpus: 9, other: a}", "{values: {other: b}}", [("KLG503", "base/object.yaml", 9)]),
    ],
)
def test_a_release_is_judged_as_its_overlay_patches_it(judged, values, spec, told):
    files = {**BASE, "base/object.yaml": f"{HELM_RELEASE}  values: {values}\n", **patched(spec)}
    assert judged(files).told == told


def test_each_overlay_gives_the_release_its_own_values(judged):
    files = {**BASE, "base/object.yaml": f"{HELM_RELEASE}  values: {{gpus: 1}}\n"}
    ran = judged({**files, **patched("{values: {gpus: 2}}"), **patched("{values: {gpus: 1}, interval: 1h}", "prod")})
    assert ran.told == [("KLG503", "dev/kustomization.yaml", 4)]


@pytest.mark.parametrize(("value", "told"), [("2", [("KLG503", "dev/kustomization.yaml", 5)]), ("1", [])])
def test_an_application_is_judged_as_its_overlay_patches_it(judged, value, told):
    target = "{op: replace, path: /spec/source/helm/valuesObject/gpus, value: " + f"{value}}}"
    patch = f"resources: [../base]\npatches:\n- target: {{kind: Application}}\n  patch: |\n    - {target}\n"
    files = {**BASE, "base/object.yaml": APPLICATION % "valuesObject: {gpus: 3}"}
    assert judged({**files, "dev/kustomization.yaml": patch}).told == told


def test_a_kustomization_of_flux_fills_in_the_values_of_a_release(judged):
    dev = {"dev/kustomization.yaml": "resources: [../base]\n"}
    release = {"base/object.yaml": f"{HELM_RELEASE}  values: {{gpus: '${{gpus}}'}}\n"}
    assert judged({**BASE, **dev, **release, "flux/web.yaml": FLUX}).told == []
    ran = judged({**BASE, **dev, **release, "flux/web.yaml": FLUX.replace('"1"', '"2"')})
    assert ran.told == [("KLG503", "flux/web.yaml", 8)]


def test_a_kustomization_of_flux_is_filled_in_as_its_overlay_patches_it(judged):
    head = "apiVersion: kustomize.toolkit.fluxcd.io/v1, kind: Kustomization, metadata: {name: web, namespace: vision}"
    change = f"resources: [web.yaml]\npatches:\n  - patch: |\n      {{{head}, spec: {{postBuild: {{substitute: {{gpus: '2'}}}}}}}}\n"
    dev = {"dev/kustomization.yaml": "resources: [../base]\n"}
    release = {"base/object.yaml": f"{HELM_RELEASE}  values: {{gpus: '${{gpus}}'}}\n"}
    ran = judged({**BASE, **dev, **release, "flux/web.yaml": FLUX, "flux/kustomization.yaml": change})
    assert ran.told == [("KLG503", "flux/kustomization.yaml", 4)]


GENERATED = """\
resources: [object.yaml]
generatorOptions: {disableNameSuffixHash: true}
configMapGenerator:
  - {name: mine, namespace: vision, %s}
"""


@pytest.mark.parametrize(
    ("entries", "told"),
    [
        ("files: [values.yaml=own.yaml]", [("KLG503", "base/own.yaml", 2)]),
        ("literals: ['values.yaml={gpus: 2}']", [("KLG503", "base/kustomization.yaml", 4)]),
        ("files: [other.yaml=own.yaml]", [("KLG006", "base/object.yaml", 4)]),
    ],
)
def test_values_come_from_a_generated_config_map(judged, entries, told):
    release = f"{HELM_RELEASE}  valuesFrom: [{{kind: ConfigMap, name: mine}}]\n"
    files = {**PLATFORM_CHART, "base/kustomization.yaml": GENERATED % entries, "base/object.yaml": release}
    assert judged({**files, "base/own.yaml": "# mine\ngpus: 2\n"}).told == told


def test_a_name_with_a_digest_is_that_of_the_generated_config_map(judged):
    config = "nameReference:\n- kind: ConfigMap\n  version: v1\n  fieldSpecs:\n  - {path: spec/valuesFrom/name, kind: HelmRelease}\n"
    text = (GENERATED % "files: [values.yaml=own.yaml]").replace("{disableNameSuffixHash: true}", "{}")
    files = {
        **PLATFORM_CHART,
        "base/kustomization.yaml": f"{text}configurations: [config.yaml]\n",
        "base/config.yaml": config,
    }
    release = f"{HELM_RELEASE}  valuesFrom: [{{kind: ConfigMap, name: mine}}]\n"
    assert judged({**files, "base/object.yaml": release, "base/own.yaml": "gpus: 2\n"}).told == [
        ("KLG503", "base/own.yaml", 1)
    ]


def test_variables_come_from_a_generated_config_map(judged):
    flux = FLUX.partition("  postBuild")[0] + "  postBuild: {substituteFrom: [{kind: ConfigMap, name: mine}]}\n"
    settings = (GENERATED % "literals: ['gpus=2']").replace("object.yaml", "web.yaml")
    dev = {"dev/kustomization.yaml": "resources: [../base]\n"}
    release = {"base/object.yaml": f"{HELM_RELEASE}  values: {{gpus: '${{gpus}}'}}\n"}
    ran = judged({**BASE, **dev, **release, "flux/web.yaml": flux, "flux/kustomization.yaml": settings})
    assert ran.told == [("KLG503", "flux/kustomization.yaml", 4)]


APP_OF_APPS = chart(
    {"templates/app.yaml": (APPLICATION % "valuesObject: {gpus: {{ .Values.gpus }}}").replace("blue", "inner")},
    folder="apps",
)


def test_an_application_of_a_chart_of_applications_is_followed(judged):
    outer = (APPLICATION % "valuesObject: {gpus: 2}").replace("path: chart", "path: apps").replace("blue", "outer")
    ran = judged({**PLATFORM_CHART, **APP_OF_APPS, "argocd/outer.yaml": outer})
    assert [(one["code"], one["object"]) for one in ran.findings] == [("KLG503", "Pod/vision/inner")]


def test_a_chart_that_applies_itself_ends(judged):
    itself = {"apps/templates/app.yaml": APP_OF_APPS["apps/templates/app.yaml"].replace("path: chart", "path: apps")}
    deeper = itself["apps/templates/app.yaml"].replace("{{ .Values.gpus }}", "{{ add1 .Values.gpus }}")
    outer = (APPLICATION % "valuesObject: {gpus: 2}").replace("path: chart", "path: apps")
    assert judged({**PLATFORM_CHART, **APP_OF_APPS, **itself, "argocd/outer.yaml": outer}).told == []
    ran = judged({**PLATFORM_CHART, **APP_OF_APPS, "apps/templates/app.yaml": deeper, "argocd/outer.yaml": outer})
    assert [one["code"] for one in ran.findings] == ["KLG006"]
    assert "because it is the result of more than 5 GitOps objects that apply each other" in ran.findings[0]["message"]


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("base/object.yaml", "{gpus: 1, a: b}", "{gpus: 2}"),
        ("dev/kustomization.yaml", "{gpus: 1}", "{gpus: 2}"),
        ("argo/app.yaml", "gpus: 1", "gpus: 2"),
        ("argo/set.yaml", "gpus: 1", "gpus: 2"),
        ("flux/web.yaml", 'gpus: "1"', 'gpus: "2"'),
    ],
)
def test_what_was_before_has_the_values_of_the_old_object(check, tree, program, path, old, new):
    template = (APPLICATION % "valuesObject: {gpus: 1}").replace("blue", "'green-{{name}}'")
    lines = template.split("\n")[2:]
    sets = "apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata: {name: green}\nspec:\n"
    sets += "  generators: [{list: {elements: [{name: a}]}}]\n  template:\n" + "".join(f"    {one}\n" for one in lines)
    filled = f"{HELM_RELEASE}  values: {{gpus: '${{gpus}}'}}\n".replace("name: blue", "name: filled")
    files = {
        **BASE,
        "base/object.yaml": f"{HELM_RELEASE}  values: {{gpus: 1, a: b}}\n",
        **patched("{values: {gpus: 1}}" if path.startswith("dev") else "{interval: 1h}"),
        "argo/app.yaml": (APPLICATION % "valuesObject: {gpus: 1}").replace("blue", "red"),
        "argo/set.yaml": sets,
        "flux/web.yaml": FLUX.replace("dev", "plain"),
        "plain/object.yaml": filled,
    }
    root = tree(inventory(files))
    committed(root)
    assert old in files[path]
    (root / path).write_text(files[path].replace(old, new))
    git(root, "add", "-A")
    given = ("-i", "inventory.yaml", "--kustomize", program, "--select", "KLG009")
    for arguments in (["--hook", path], [".", "--against", "HEAD"]):
        ran = check(root, *arguments, *given)
        assert [(one["code"], one["path"]) for one in ran.findings] == [("KLG009", path)], ran.err


WORKLOAD = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n      image: a\n"
WORKLOAD += "      resources: {limits: {nvidia.com/gpu: 2}}\n"
SENT = (APPLICATION % "releaseName: blue").replace("{namespace: vision}", "{namespace: vision, name: small}")
PLAIN = SENT.partition("    helm:")[0].replace("path: chart", "path: apps")
TARGETS = "targets: {small: inventory.yaml, 'argo/**': roomy.yaml, 'apps/**': roomy.yaml, 'chart/**': roomy.yaml}\n"
TWO = {"chart/values.yaml": "gpus: 2\n"}
SET = PLAIN.replace("kind: Application\n", "kind: ApplicationSet\n").replace("spec:\n", "spec:\n  template:\n", 1)
SOURCES = {
    "a chart": {**TWO, "argo/app.yaml": SENT},
    "a chart with a file": {"argo/app.yaml": SENT.replace("releaseName: blue", "valueFiles: [prod.yaml]")},
    "a chart with values": {"argo/app.yaml": SENT.replace("releaseName: blue", "valuesObject: {gpus: 2}")},
    "a chart with parameters": {"argo/app.yaml": SENT.replace("releaseName: blue", "parameters: [{name: gpus, value: '2'}]")},
    "a directory": {"apps/pod.yaml": WORKLOAD, "argo/app.yaml": PLAIN.replace("namespace: vision, ", "")},
    "a directory with a namespace": {"apps/pod.yaml": WORKLOAD, "argo/app.yaml": PLAIN},
    "a kustomization": {
        "apps/kustomization.yaml": "resources: [pod.yaml]\n", "apps/pod.yaml": WORKLOAD, "argo/app.yaml": PLAIN
    },
    "a kustomization with changes": {
        "apps/kustomization.yaml": "resources: [pod.yaml]\n",
        "apps/pod.yaml": WORKLOAD,
        "argo/app.yaml": PLAIN + "    kustomize: {nameSuffix: -b}\n",
    },
}  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
def test_the_destination_chooses_the_inventory_for_every_source(check, tree, program, source):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    files = {**PLATFORM_CHART, **SOURCES[source], "roomy.yaml": roomy, ".kubelint-gpu.yaml": TARGETS}
    root = tree(inventory(files))
    given = (".", "--kustomize", program, "--select", "KLG503,KLG006")
    assert [one["code"] for one in check(root, *given).findings] == ["KLG503"]
    (root / ".kubelint-gpu.yaml").write_text(TARGETS.replace("small: inventory", "small: roomy"))
    assert check(root, *given).findings == []


def test_an_object_without_values_goes_where_its_file_goes(check, tree):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    targets = "targets: {'argo/**': inventory.yaml, 'chart/**': roomy.yaml}\n"
    files = {**PLATFORM_CHART, **TWO, "argo/app.yaml": SENT, "roomy.yaml": roomy, ".kubelint-gpu.yaml": targets}
    assert [one["code"] for one in check(tree(inventory(files)), ".", "--select", "KLG503").findings] == ["KLG503"]


def test_each_cluster_of_a_destination_is_judged_by_itself(check, tree):
    roomy = inventory({})["inventory.yaml"].replace("count: 1", "count: 4")
    targets = "targets: {small: [inventory.yaml, roomy.yaml, tiny.yaml]}\n"
    files = {**PLATFORM_CHART, **TWO, "argo/app.yaml": SENT, "roomy.yaml": roomy, ".kubelint-gpu.yaml": targets}
    files["tiny.yaml"] = inventory({})["inventory.yaml"].replace("gpu-1", "gpu-2")
    (found,) = check(tree(inventory(files)), ".", "--select", "KLG503").findings
    assert found["message"].endswith("(cluster inventory.yaml)")
    assert ["tiny.yaml" in one["message"] for one in found["related"] if "in the cluster" in one["message"]] == [True]


@pytest.mark.parametrize("arguments", [["--hook", "chart/templates/pod.yaml"], ["chart"], ["."]])
def test_a_chart_is_judged_with_the_values_of_each_overlay_around_it(check, tree, program, arguments):
    dev = FLUX.replace("name: web", "name: dev")
    prod = FLUX.replace("name: web", "name: prod").replace("dev", "prod").replace('"1"', '"2"')
    files = {**BASE, "base/object.yaml": f"{HELM_RELEASE}  values: {{gpus: '${{gpus}}'}}\n", "flux/dev.yaml": dev}
    for name in "dev", "prod":
        files |= patched(f"{{values: {{cluster: {name}}}}}", name)
    root = tree(inventory({**files, "flux/prod.yaml": prod}))
    committed(root)
    (root / "chart/templates/pod.yaml").write_text(POD.replace("image: serving", "image: other"))
    git(root, "add", "-A")
    given = ("-i", "inventory.yaml", "--kustomize", program, "--select", "KLG503,KLG006,KLG000")
    ran = check(root, *arguments, *given)
    # the hook leaves out what the commit does not change
    assert ran.told == ([] if "--hook" in arguments else [("KLG503", "flux/prod.yaml", 8)]), ran.err
    assert "not rendered" not in ran.err
