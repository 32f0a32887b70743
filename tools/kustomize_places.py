"""`python -m tools.kustomize_places FOLDER [--inventory FILE]...`: proves the places of findings by perturbation.

Each kustomization below the folder is rendered and checked. For each finding on a rendered object, what stands at the
line that it points at is changed, the kustomization is rendered again, and the field of the finding must have changed.
The user's files stay as they are: the changed text is handed to the renderer.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import click

from kubelint_gpu.documents import Document, Item, Pointer, Reading, encode, read
from kubelint_gpu.documents.editing import NotEditable, apply, replace_scalar, set_key
from kubelint_gpu.engine.asking import drafts_of
from kubelint_gpu.engine.diagnostic import Diagnostic
from kubelint_gpu.engine.run import check
from kubelint_gpu.inventory import load
from kubelint_gpu.sources.kustomize.files.kustomization import NAMES, joined, references
from kubelint_gpu.sources.kustomize.origin import Answer
from kubelint_gpu.sources.kustomize.program import find_program
from kubelint_gpu.sources.kustomize.rendering import Rendered, Renderer, render
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.cluster_context import ClusterContext
from kubelint_gpu.workspace.manifest import place_of

_ADDED = "perturbed"
_ABSENT = object()


class Verdict(Value):
    """What became of one finding: `proven`, or the reason why not."""

    path: str
    code: str
    line: str
    reason: str = ""

    @property
    def proven(self) -> bool:
        """Whether the field followed the change."""
        return not self.reason


def declared(path: Path) -> ClusterContext:
    """The cluster that an inventory declares."""
    readings = (read(str(path), path.read_bytes()),)
    inventory, errors = load(readings)
    return ClusterContext(inventory, readings, errors)


def prove(rendered: Rendered, renderer: Renderer, world: ClusterContext) -> Iterator[Verdict]:
    """A verdict for each finding on an object of a rendered kustomization."""
    if rendered.reading is None:
        return
    unit = ApplySet((rendered.reading,), world, rendered=(rendered,))
    drafts, crashed = drafts_of(unit)
    if crashed:
        raise RuntimeError(crashed[0].message)
    for draft in drafts:
        if draft.manifest is not None and draft.manifest.origin is not None:
            place = draft.place
            where = f"{place.path}:{place.line}"
            yield Verdict(rendered.path, draft.code, where, _reason(rendered, renderer, draft))


def _reason(rendered: Rendered, renderer: Renderer, draft: Diagnostic) -> str:
    manifest = draft.manifest
    if manifest is None or manifest.origin is None:
        return "it is about no object"
    answer = manifest.origin.behind(draft.place.path, draft.place.line, draft.place.column)
    if answer is None or place_of(answer.spot.path, answer.spot.span) != draft.place:
        return "the place was not asked for"
    if not answer.certain:
        return "said to be uncertain"
    before = _at(manifest.item.value, answer.pointer)
    reason = "nothing stands there that could be changed"
    for path, data in _perturbed(rendered, answer):
        after = render(
            rendered.root / rendered.survey.root, renderer, root=rendered.root, cwd=rendered.cwd, texts={path: data}
        )
        if after.reading is None:
            message = after.problems[0].message
            if answer.pointer and f"{answer.pointer[-1]}" in message and "unable to find field" in message:
                # a replacement that set the field under its key no longer finds it
                return ""
            reason = f"the changed text is not built: {message[:120]}"
            continue
        documents = after.reading.documents
        index = manifest.item.document.index
        now = _at(documents[index].value, answer.pointer) if index < len(documents) else _ABSENT
        if now != before:
            return ""
        reason = "the field did not follow"
    return reason


def _perturbed(rendered: Rendered, answer: Answer) -> Iterator[tuple[str, bytes]]:
    """The file of a place with what stands there changed, in a few ways."""
    files = {rendered.shown(path): path for path in rendered.survey.files}
    reading = next(one for one in rendered.sources if one.source is not None and one.source.path == answer.spot.path)
    source, span = reading.source, answer.spot.span
    if source is None:
        return
    path = files[answer.spot.path]
    found = _found(reading, span.start, span.end)
    if found is None:
        text = source.text[span.start : span.end]
        yield path, encode(source, source.text[: span.start] + _other(text) + source.text[span.end :])
        return
    document, pointer = found
    item = Item(document, (), document.value)
    value = _at(document.value, pointer)
    try:
        if isinstance(value, dict):
            edit = set_key(item, pointer, _ADDED, "1")
        elif isinstance(value, list):
            edit = set_key(item, (*pointer, 0), _ADDED, "1")
        else:
            edit = replace_scalar(item, pointer, _scalar(value))
        yield path, encode(source, apply(source, [edit]))
    except (NotEditable, TypeError):
        pass
    if document.locate(pointer, "key") == span:
        yield path, encode(source, f"{source.text[: span.start]}{_ADDED}-{source.text[span.start :]}")


def _found(reading: Reading, start: int, end: int) -> tuple[Document, Pointer] | None:
    """The value that stands, or whose key stands, at a piece of a text."""
    for document in reading.documents:
        todo: list[tuple[Pointer, Any]] = [((), document.root)]
        while todo:
            pointer, node = todo.pop()
            if (start, end) in ((node[0], node[1]), (node[3], node[4])):
                return document, pointer
            children = node[2]
            if isinstance(children, dict):
                todo += [((*pointer, key), child) for key, child in children.items()]
            elif isinstance(children, list):
                todo += [((*pointer, index), child) for index, child in enumerate(children)]
    return None


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "false" if value else "true"
    if isinstance(value, int | float):
        return str(value + 1)
    return f'"{_other(str(value))}"'


def _other(text: str) -> str:
    return str(int(text) + 1) if text.isdigit() else f"{text}x"


def _at(value: Any, pointer: Pointer) -> Any:
    for step in pointer:
        if isinstance(value, list):
            known = isinstance(step, int) and step < len(value)
        else:
            known = isinstance(value, dict) and step in value
        if not known:
            return _ABSENT
        value = value[step]
    return value


def _patches(rendered: Rendered) -> Iterator[str]:
    """The patch files of a kustomization and of what it takes in."""
    for one in rendered.survey.kustomizations.values():
        for reference in references(one):
            target = joined(one.folder, reference.text)
            if (
                reference.key in ("patches", "patchesStrategicMerge", "patchesJson6902")
                and target in rendered.survey.files
            ):
                yield str(target)


@click.command()
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--inventory", "inventories", multiple=True, type=click.Path(exists=True))
@click.option("--kustomize", type=click.Path())
def main(folder: Path, inventories: Sequence[str], kustomize: str | None) -> None:
    """Prove the places of all findings below FOLDER, with each inventory and without one."""
    renderer = Renderer(find_program(kustomize))
    names = sorted({path.parent for name in NAMES for path in folder.rglob(name)})
    builds = [render(one, renderer, root=folder, cwd=folder) for one in names]
    components = sum(one.top.is_component for one in builds)
    builds = [one for one in builds if not one.top.is_component]
    good = [one for one in builds if one.reading is not None]
    click.echo(
        f"{len(names)} kustomizations: {len(good)} rendered, {len(builds) - len(good)} not, {components} components"
    )
    for one in builds:
        for problem in one.problems[:1]:
            click.echo(f"  not rendered: {one.path}: {problem.message}")
    failed = False
    patches = sorted({path for one in builds for path in _patches(one)})
    for inventory in (None, *inventories):
        world = ClusterContext() if inventory is None else declared(Path(inventory))
        verdicts = [verdict for one in good for verdict in prove(one, renderer, world)]
        count = Counter(verdict.proven for verdict in verdicts)
        click.echo(f"{inventory or 'no inventory'}: {len(verdicts)} findings, {count[True]} proven, {count[False]} not")
        for verdict in verdicts:
            if not verdict.proven:
                failed = True
                click.echo(f"  {verdict.code} {verdict.line} ({verdict.path}): {verdict.reason}")
        units = [ApplySet((read(path, (folder / path).read_bytes()),), world) for path in patches]
        errors = [one for one in check(units, world).findings if one.severity == "error" and one.place.path in patches]
        click.echo(f"  {len(patches)} patch files read alone: {len(errors)} errors")
        failed = failed or bool(errors)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
