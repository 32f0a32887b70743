"""Kustomizations, charts and GitOps objects that are not rendered."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kubelint_gpu.analysis.node_misfit import is_gpu
from kubelint_gpu.engine.api import WHO, ApplySet, Diagnostic, Related, Shared, rule
from kubelint_gpu.kube.kinds.by_shape import GIT_OPS, gpu_requests
from kubelint_gpu.kube.objects.workload import api_group
from kubelint_gpu.kube.values.plain import mapping
from kubelint_gpu.sources.checkout import is_chart, is_subchart, renders_nothing
from kubelint_gpu.workspace.manifest import place_of

if TYPE_CHECKING:
    from kubelint_gpu.sources.render import Rendition

_HERE = "https://kubernetes.default.svc"


@rule("KLG006")
def render_failed(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield kustomizations and charts that cannot be rendered, or are not because that would reach outside."""
    yield from _charts(unit)
    yield from _of_git_ops(unit)
    broken = {reading.source.path for reading in unit.sources if reading.problems and reading.source is not None}
    for rendered in unit.rendered:
        # what stops the build for everybody comes before what is only not done here
        problems = sorted(rendered.problems, key=lambda problem: problem.withheld)
        if not problems or problems[0].path in broken:
            continue
        first = problems[0]
        yield Diagnostic(
            "KLG006",
            place_of(first.path, first.span),
            f"{rendered.trouble}: {first.message}",
            cause=first.message,
            severity="note" if first.withheld else None,
            help=tuple(f"run: {command}" for one in problems for command in one.help),
            related=(
                *(Related(place_of(other.path, other.span), other.message) for other in problems[1:]),
                *_built_from(rendered, first.path),
            ),
        )


def _built_from(rendered: Rendition, path: str) -> Iterator[Related]:
    """Yield the kustomization or chart that is not rendered, if the problem is in another file."""
    source, document = rendered.top.reading.source, rendered.top.document
    if source is not None and source.path != path and rendered.sources:
        span = document.locate((), "key") if document is not None else None
        yield Related(place_of(source.path, span), f"in {rendered.path}")


def _charts(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield problems of charts whose folder is checked; subcharts are rendered with their parent."""
    import shlex

    for reading in unit.readings:
        path = posixpath.normpath(reading.path) if reading.path else ""
        folder = posixpath.dirname(path)
        if not is_chart(path) or is_subchart(folder) or renders_nothing(folder):
            continue
        command = f"helm template {shlex.quote(folder or '.')}"
        for document in reading.documents:
            if mapping(document.value).get("apiVersion") in ("v1", "v2") and "name" in document.value:
                yield Diagnostic(
                    "KLG006",
                    place_of(path, document.locate(("name",))),
                    f"the templates of this Helm chart are not rendered here: check what `{command}` prints",
                    cause="chart",
                    severity="note",
                    help=(f"install helm, or {command} | kubelint-gpu check -",),
                )


def _of_git_ops(unit: ApplySet) -> Iterator[Diagnostic]:
    """Yield problems of rendering what checked objects of GitOps controllers refer to."""
    for manifest in unit.manifests:
        value = manifest.item.value
        who = GIT_OPS.get((api_group(value), manifest.kind))
        if who is not None and not unit.follows(manifest):
            why = unit.why_not_followed(manifest)
            why = f", because {why}" if why else ""
            sent_to = mapping(mapping(value.get("spec")).get("destination"))
            cluster = sent_to.get("name") or sent_to.get("server") or _HERE
            lost = f"workloads{'' if cluster == _HERE else f' in the cluster {cluster}'} are not judged"
            how = f" not rendered as {who} does it{why}: "
            yield Diagnostic(
                "KLG006",
                manifest.place(("spec",), "key"),
                f"{manifest.kind} {manifest.name} is{how}its {lost}",
                manifest,
                cause="GitOps",
                severity="note",
                undecided=f"the {manifest.kind} is not rendered" if any(gpu_requests(value, is_gpu)) else "",
                shared=Shared(f"{how}{lost}", (WHO, f" are{how}their {lost}"), of_run=True, anywhere=True),
                help=("render what it names with its values, and check the result",),
            )
