"""`python -m tools.helm_places CHART... [--helm PATH] [--namespace NAME]`: proves the places of fields by perturbation.

Each chart is rendered with each choice of values that lies beside it. For each single value in the rendered objects,
what stands at the place that it leads to is changed in the text of that file, the chart is rendered again, and the
field must be another one. The user's files stay as they are. The exit code is 1 if a place is not proven.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.documents import Document, Pointer, encode, source_text, value_at
from kubelint_gpu.sources.checkout import repository_root
from kubelint_gpu.sources.files import SKIMMED, display_path
from kubelint_gpu.sources.helm.chart import SCHEMA, chart_at
from kubelint_gpu.sources.helm.chart_origin import ChartOrigin, Found
from kubelint_gpu.sources.helm.chart_render import ChartRenderer, RenderedChart, render
from kubelint_gpu.sources.helm.given_values import GivenValues
from kubelint_gpu.sources.helm.helm_program import Release, find_helm
from kubelint_gpu.sources.rendering_program import ProgramError, RenderTime
from kubelint_gpu.values import Value

_IN_PLACE = (
    *("kubelint-gpu-changed", "12345", '"12345"', "true", "false", "{changed: 1}", "{changed: changed}", "[changed]"),
    *(
        " kubelint-gpu-changed",
        f"{' ' * 40}- changed",
        f'{{{{ "{" " * 40}- changed" }}}}',
        "{}",
        "",
        # a block of text
        "|1",
        ">",
        '{{- "kubelint-gpu-changed" }}',
    ),
)
_SECONDS = 3_600


class Verdict(Value):
    """What became of one field: `proven`, or not; `of_value` says whether a value decides it."""

    field: str
    place: str
    of_value: bool
    proven: bool


class Prover:
    """Proves the places of one render."""

    def __init__(self, rendered: RenderedChart) -> None:
        self._rendered = rendered
        self._known: dict[tuple[str, bytes], list[Any] | None] = {}
        # a schema and notes refuse other values
        shown = {path: display_path(rendered.root / path, rendered.chart.cwd) for path in rendered.files}
        self._unchecked = {place: b"{}" for path, place in shown.items() if path.endswith(SCHEMA)}
        self._unchecked |= {place: b"" for path, place in shown.items() if path.endswith("NOTES.txt")}

    def verdicts(self) -> Iterator[Verdict]:
        """A verdict for each single value of the rendered objects."""
        if self._rendered.reading is None:
            return
        for number, origin in enumerate(self._rendered.origins):
            document = self._rendered.reading.documents[number]
            if origin is None:
                continue
            # the spec of a skimmed kind is not read
            skimmed = document.value.get("kind") in SKIMMED
            for pointer in _leaves(document.value, ()):
                if not (skimmed and pointer == ("spec",)):
                    yield self._verdict(number, document, origin, pointer)

    def _verdict(self, number: int, document: Document, origin: ChartOrigin, pointer: Pointer) -> Verdict:
        found = origin.found(pointer)
        value = value_at(document.value, pointer)
        texts = self._changed(found, origin.compared(pointer, "") + origin.compared(pointer, 0))
        proven = any(self._differs(number, pointer, value, found.spot.path, text) for text in texts)
        name = ".".join(map(str, (document.value.get("kind"), *pointer)))
        place = f"{found.spot.path}:{found.spot.span.line}:{found.spot.span.column}"
        return Verdict(name, place, found.template is not None, proven)

    def _changed(self, found: Found, compared: Sequence[Any]) -> Iterator[bytes]:
        source = next((one.source for one in self._rendered.sources if one.path == found.spot.path), None)
        if source is None:
            return
        start, end = found.spot.span.start, found.spot.span.end
        for other in (*_IN_PLACE, *map(json.dumps, compared)):
            yield encode(source_text(source.path, ""), f"{source.text[:start]}{other}{source.text[end:]}")
        # a null stands behind its key
        key, colon, _ = source.text[start:].partition(":")
        if colon and "\n" not in key:
            start += len(key) + 1
            yield encode(source_text(source.path, ""), f"{source.text[:start]} changed{source.text[start:]}")

    def _differs(self, number: int, pointer: Pointer, value: Any, path: str, text: bytes) -> bool:
        key = path, text
        if key not in self._known:
            reading = self._rendered.again({**self._unchecked, path: text}).reading
            usable = reading is not None and not reading.problems
            self._known[key] = [one.value for one in reading.documents] if reading is not None and usable else None
        values = self._known[key]
        if values is None:
            return False
        name = _name(self._rendered.reading.documents[number].value) if self._rendered.reading is not None else None
        mine = [one for one in values if _name(one) == name]
        return not mine or not _present(mine[0], pointer) or value_at(mine[0], pointer) != value


def _name(value: Any) -> tuple[Any, Any] | None:
    """What an object is called."""
    meta = value.get("metadata") if isinstance(value, dict) else None
    return (value.get("kind"), meta.get("name")) if isinstance(meta, dict) else None


def _present(value: Any, pointer: Pointer) -> bool:
    home = value_at(value, pointer[:-1])
    return not isinstance(home, dict) or pointer[-1] in home


def _leaves(value: Any, pointer: Pointer) -> Iterator[Pointer]:
    if isinstance(value, dict) and value:
        for key, one in value.items():
            yield from _leaves(one, (*pointer, key))
    elif isinstance(value, list) and value:
        for index, one in enumerate(value):
            yield from _leaves(one, (*pointer, index))
    else:
        yield pointer


def renders(folder: Path, helm: str | None, namespace: str) -> Iterator[RenderedChart]:
    """A chart with each choice of its values."""
    real = folder.resolve()
    root = repository_root(real)
    chart = chart_at(root, real.relative_to(root).as_posix(), Path.cwd())
    renderer = ChartRenderer(find_helm(helm), RenderTime(_SECONDS))
    for variant in ("", *chart.variants):
        values = (GivenValues((real / variant).relative_to(root).as_posix()),) if variant else ()
        yield render(chart, Release(namespace=namespace), values, renderer, title=variant)


@click.command()
@click.argument("charts", nargs=-1, required=True, type=click.Path(exists=True, path_type=Path))
@click.option("--helm", help="The helm that renders.")
@click.option("--namespace", default="default", help="The namespace of the releases.")
@click.option("-v", "--verbose", is_flag=True, help="Print each place that is not proven.")
def main(charts: tuple[Path, ...], helm: str | None, namespace: str, verbose: bool) -> None:
    """Print for each chart how many places are proven, of those of values and of those of templates."""
    missing = 0
    for folder in charts:
        try:
            every = list(renders(folder, helm, namespace))
        except ProgramError as error:
            raise click.ClickException(str(error)) from None
        for rendered in every:
            for problem in rendered.problems:
                click.echo(f"{rendered.path}: {problem.message}")
            verdicts = list(Prover(rendered).verdicts())
            parts = []
            for name, of_value in (("values", True), ("templates", False)):
                mine = [one for one in verdicts if one.of_value == of_value]
                proven = sum(one.proven for one in mine)
                missing += len(mine) - proven
                parts.append(f"{name} {proven} / {len(mine)}")
            click.echo(f"{rendered.path}: {', '.join(parts)}")
            for one in verdicts if verbose else ():
                if not one.proven:
                    click.echo(f"  {one.place}: {one.field}")
    sys.exit(1 if missing else 0)


if __name__ == "__main__":
    main()
