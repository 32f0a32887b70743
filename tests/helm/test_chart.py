"""Charts that try to run programs, to read what is not theirs, or to take all time and memory."""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
import time

import pytest
from helm_runs import CHART, INVENTORY, POD, Ran, chart

from kubelint_gpu.sources.helm.chart import MOST_FILES, MOST_TOGETHER, chart_at


def problems(ran: Ran):
    return [(one["path"], one["message"]) for one in ran.findings if one["code"] == "KLG006"]


def test_a_link_that_leads_out_is_not_read(check, tree, tmp_path_factory):
    secret = tmp_path_factory.mktemp("outside") / "secret.yaml"
    secret.write_text("gpus: 2 # secret\n")
    root = tree(chart({"templates/pod.yaml": POD}))
    (root / "chart" / "values-a.yaml").symlink_to(secret)
    (root / "chart" / "templates" / "more").symlink_to(secret.parent)
    ran = check(root, ".")
    assert "secret" not in ran.out
    assert {path for path, _ in problems(ran)} == {"chart/templates/more"}
    assert all("leads out of the repository" in message for _, message in problems(ran))


@pytest.mark.parametrize("repository", ["file://../../outside", "file:///etc", "file://.."])
def test_a_dependency_outside_is_left_out(check, tree, repository):
    head = f"{CHART}dependencies:\n  - {{name: other, version: 0.1.0, repository: '{repository}'}}\n"
    ran = check(tree(chart({"templates/pod.yaml": POD}, head=head)), ".")
    assert problems(ran) == [
        (
            "chart/Chart.yaml",
            "the chart is rendered in part: the dependency other lies outside of the repository: it is left out",
        )
    ]


@pytest.mark.parametrize("address", ["https://example.com/schema.json", "file:///etc/passwd", "other.json"])
def test_a_schema_that_refers_elsewhere_is_not_used(check, tree, address):
    files = chart({"templates/pod.yaml": POD, "values.schema.json": f'{{"$ref": "{address}"}}'})
    ((path, message),) = problems(check(tree(files), "."))
    assert path == "chart/values.schema.json"
    assert "refers to other files or addresses" in message


def test_a_schema_of_its_own_is_used(check, tree):
    schema = '{"properties": {"gpus": {"type": "string"}}}'
    ((path, message),) = problems(check(tree(chart({"templates/pod.yaml": POD, "values.schema.json": schema})), "."))
    assert path == "chart/values.yaml"
    assert "helm cannot render it: values don't meet the specifications of the schema" in message


def test_a_helm_of_the_checkout_is_not_started(check, tree):
    root = tree(chart({"templates/pod.yaml": POD}))
    helm = root / "helm"
    helm.write_text(f"#!{sys.executable}\nopen('started', 'w')\n")
    helm.chmod(0o755)
    ran = check(root, ".", helm=None, env={"PATH": f"{root}:/usr/bin:/bin"})
    assert not (root / "started").exists()
    assert "lies in the checkout, and is started only if --helm names it" in ran.err


ENDLESS = {
    "recursion": '{{ define "a" }}{{ include "a" . }}{{ end }}a: {{ include "a" . }}\n',
    "tpl": '{{ $x := "{{ tpl .x . }}" }}a: {{ tpl $x (dict "x" $x "Template" .Template) }}\n',
    "range": "a: {{ range until 100000000 }}{{ range until 1000 }}0123456789{{ end }}{{ end }}\n",
}


@pytest.mark.parametrize("name", ENDLESS)
@pytest.mark.thorough
def test_a_template_without_end_is_ended(tree, name):
    from helm_recordings import installed

    if not installed():
        pytest.skip("needs a helm")
    root = tree(chart({"templates/a.yaml": ENDLESS[name]}))
    from kubelint_gpu.sources.helm.chart_render import ChartRenderer, render
    from kubelint_gpu.sources.helm.helm_program import Helm, Release
    from kubelint_gpu.sources.rendering_program import RenderTime

    begun = time.monotonic()
    renderer = ChartRenderer(Helm(installed()[0], named=True), RenderTime(10))
    found = render(chart_at(root, "chart", root), Release(), (), renderer)
    assert time.monotonic() - begun < 60
    assert found.reading is None
    (problem,) = found.problems
    assert len(problem.message) < 600


def test_a_name_with_a_line_break_is_told_in_one_line(check, tree):
    root = tree(chart({"templates/a\nb.yaml": POD.replace("kind: Pod", "kind: {{ fail .Template.Name }}")}))
    ran = check(root, ".", "--output-format", "concise")
    assert [line for line in ran.out.splitlines() if "KLG006" in line]
    assert not any(line.startswith("b.yaml") for line in ran.out.splitlines())


def test_a_chart_has_bounds(tmp_path):
    for name in ("Chart.yaml", *map(str, range(MOST_FILES))):
        (tmp_path / name).write_text(CHART)
    found = chart_at(tmp_path, "", tmp_path)
    assert found.files == {}
    assert f"more than {MOST_FILES} files" in found.problems[0].message


def archive(members):
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as made:
        for name, text, kind in members:
            about = tarfile.TarInfo(name)
            about.size, about.type, about.linkname = len(text), kind, "/etc/passwd"
            made.addfile(about, io.BytesIO(text))
    return gzip.compress(data.getvalue())


def test_an_archive_puts_nothing_elsewhere(tmp_path):
    (tmp_path / "charts").mkdir()
    (tmp_path / "Chart.yaml").write_text(CHART)
    inner = [
        ("../../evil", b"1", tarfile.REGTYPE),
        ("/evil", b"1", tarfile.REGTYPE),
        ("a/link", b"", tarfile.SYMTYPE),
        ("a/Chart.yaml", CHART.encode(), tarfile.REGTYPE),
    ]
    (tmp_path / "charts" / "a.tgz").write_bytes(archive(inner))
    assert sorted(chart_at(tmp_path, "", tmp_path).files) == ["Chart.yaml", "charts/a/Chart.yaml"]


def test_an_archive_has_bounds(tmp_path):
    (tmp_path / "charts").mkdir()
    (tmp_path / "Chart.yaml").write_text(CHART)
    (tmp_path / "charts" / "a.tgz").write_bytes(archive([("a/big", b"0" * (MOST_TOGETHER + 1), tarfile.REGTYPE)]))
    assert "holds more than" in chart_at(tmp_path, "", tmp_path).problems[0].message


@pytest.mark.parametrize("data", [b"", b"\x1f\x8b", b"no archive", gzip.compress(b"no tar" * 200, mtime=0)])
def test_what_is_no_archive_is_left_out(tmp_path, data):
    (tmp_path / "charts").mkdir()
    (tmp_path / "Chart.yaml").write_text(CHART)
    (tmp_path / "charts" / "a.tgz").write_bytes(data)
    assert sorted(chart_at(tmp_path, "", tmp_path).files) == ["Chart.yaml"]


@pytest.mark.parametrize(
    "head",
    [
        "", "[]", "a: {", "name: [1]\ndependencies: 3", "dependencies: [1, {name: 2}, {name: a/b}, {name: a, repository: 1}]",
        "name: -x\nversion: 1", "\x00",
    ],
)  # fmt: skip
def test_any_head_of_a_chart_is_told_in_one_line(check, tree, head):
    ran = check(
        tree(inventory_beside(chart({"templates/pod.yaml": POD}, head=head))), ".", "--output-format", "concise"
    )
    assert "internal error" not in ran.err
    assert "KLG999" not in ran.out


def inventory_beside(files):
    return {**files, "inventory.yaml": INVENTORY}
