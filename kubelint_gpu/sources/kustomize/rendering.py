"""A kustomization as it would be applied, with the origin of each field."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

from msgspec import field

from kubelint_gpu.documents import Pointer, Reading, read, source_text
from kubelint_gpu.sources.files import SKIMMED, display_path
from kubelint_gpu.sources.kustomize.accumulation.objects import Traceable
from kubelint_gpu.sources.kustomize.accumulation.retrace import trace
from kubelint_gpu.sources.kustomize.accumulation.traced import EntryScript, FieldWriter
from kubelint_gpu.sources.kustomize.build_errors import complaint, staged
from kubelint_gpu.sources.kustomize.files.kustomization import Contents, DiskTree, Kustomization
from kubelint_gpu.sources.kustomize.files.survey import AllowedFiles, Survey, heads_of, text_of, with_files
from kubelint_gpu.sources.kustomize.files.surveyor import surveyed
from kubelint_gpu.sources.kustomize.origin import Origin, origins
from kubelint_gpu.sources.kustomize.program import Program, build
from kubelint_gpu.sources.kustomize.variables import KnownVariables, Variables, with_variables
from kubelint_gpu.sources.programs import keep_out
from kubelint_gpu.sources.render import Obstacle
from kubelint_gpu.sources.rendering_program import MOST_OUTPUT, ProgramError, RenderTime
from kubelint_gpu.values import Value, replace


class KnownRenders(Protocol):
    """The cache of earlier builds."""

    def recall(self, program: Program, folder: str, files: Mapping[str, bytes]) -> bytes | None:
        """Return the program's output for a folder and its files; None if it is not cached."""

    def keep(self, program: Program, folder: str, files: Mapping[str, bytes], printed: bytes) -> None:
        """Cache the output of a build without further flags."""


class Renderer(Value):
    """How kustomizations are built: the program, its further flags, and its limit of time.

    Builds in `known` are not repeated. `contents` caches the files read.
    """

    program: Program
    flags: tuple[str, ...] = ()
    time: RenderTime = field(default_factory=RenderTime)
    known: KnownRenders | None = None
    contents: Contents = field(default_factory=dict)

    @property
    def allowed(self) -> AllowedFiles:
        """Return the permissions that the flags give."""
        return AllowedFiles(
            helm=any(flag.startswith("--enable-helm") for flag in self.flags),
            plugins=any(flag.startswith(("--enable-alpha-plugins", "--enable-exec")) for flag in self.flags),
            outside=any("LoadRestrictionsNone" in flag for flag in self.flags),
        )


class Rendered(Value, eq=False):
    """One kustomization, built.

    Attributes:
        path: the folder, with a title if there are several builds of it, as printed; stands for the rendered text.
        root: the real root of the repository.
        cwd: the folder that printed paths are relative to.
        survey: the parts of the kustomization.
        problems: why it could not be rendered; empty if it was.
        reading: the rendered objects, None if there are none.
        origins: for each rendered document the origin of its fields; None for a document that is no object.
        objects: the objects of the second build, which traces the fields.
        printed: the output of Kustomize.
        renderer: the program and its settings.
        texts: replacements of files on disk, by path below the root.
        known: the variables that Flux fills in; None if it is not built for a Kustomization of Flux.
    """

    path: str
    root: Path
    cwd: Path
    survey: Survey
    problems: tuple[Obstacle, ...] = ()
    reading: Reading | None = None
    origins: tuple[Origin | None, ...] = ()
    objects: tuple[Traceable, ...] = ()
    printed: bytes = b""
    renderer: Renderer | None = None
    texts: Mapping[str, bytes] = MappingProxyType({})
    known: KnownVariables | None = None

    @property
    def what(self) -> str:
        """Return the noun for it in messages."""
        return "kustomization"

    @property
    def trouble(self) -> str:
        """Return how a message begins that names one of its problems."""
        return f"the kustomization is {'not rendered' if self.reading is None else 'rendered in part'}"

    @property
    def folder(self) -> str:
        """Return the folder rendered, as printed."""
        return self.shown(self.below)

    @property
    def below(self) -> str:
        """Return the folder rendered, below the root."""
        return self.known.below if self.known is not None else self.survey.root

    @property
    def known_as(self) -> str:
        """Return the file that globs of the configuration match: the kustomization, or Flux's Kustomization."""
        if self.known is not None and not self.known.variables.namespace:
            return self.shown(self.known.variables.path_of_object or self.known.variables.path)
        return f"{self.folder}/kustomization.yaml"

    @property
    def files(self) -> Iterable[str]:
        """Return the files read, by path below the root."""
        return dict.fromkeys((*self.survey.files, *(self.known.readings if self.known is not None else ())))

    def as_in(self, root: Path, folder: Path) -> Rendered:
        """Return the same build in another copy of the repository, whose kustomization lies in `folder`.

        Raises:
            LookupError: the folder holds no kustomization.
        """
        if self.renderer is None:
            raise LookupError(f"nothing renders {folder}")
        variables = self.known.variables if self.known is not None else None
        return render(folder, self.renderer, root=root, cwd=root, variables=variables)

    def again(self, texts: Mapping[str, bytes]) -> Rendered:
        """Return the build with other texts for some files, by printed path; itself if it reads none of them."""
        return rendered_again(self, texts)

    @property
    def top(self) -> Kustomization:
        """Return the kustomization that was built, or Flux's Kustomization if there is one."""
        if self.known is None:
            return self.survey.kustomizations[self.survey.root]
        document = self.known.document
        value = document.value if document is not None else {}
        return Kustomization("", self.known.variables.path, self.known.reading, document, value)

    @property
    def sources(self) -> tuple[Reading, ...]:
        """Return the files read: its own kustomization first, then the others by path."""
        found = {path: self._plain(path) for path in self.survey.files}
        found |= {one.path: one.reading for one in self.survey.kustomizations.values()} | self.survey.readings
        if self.known is not None:
            found |= self.known.readings
            found = {path: reading for path, reading in found.items() if (self.root / path).is_file()}
        mine = self.top.path
        return (found[mine], *(reading for path, reading in sorted(found.items()) if path != mine))

    def _plain(self, path: str) -> Reading:
        """Return a plain data file."""
        return Reading((), (), source_text(self.shown(path), text_of(self.survey.files[path])))

    def shown(self, path: str) -> str:
        """Return a path below the root, as printed."""
        return display_path(self.root / path, self.cwd)


def render(
    folder: Path,
    renderer: Renderer,
    *,
    root: Path,
    cwd: Path | None = None,
    texts: Mapping[str, bytes] | None = None,
    printed: bytes | None = None,
    variables: Variables | None = None,
) -> Rendered:
    """Build the kustomization of a folder; nothing outside of `root` is read, and nothing is written there.

    `texts` replace files on disk, by path below the root.
    `printed` is an earlier output for the same files; with it, Kustomize is not started.
    `variables` are filled in as Flux does it, which also builds a folder without a kustomization.
    Printed paths are relative to `cwd`; a caller whose tree is a copy gives the folder that stands for its own.

    Raises:
        LookupError: the folder holds no kustomization.
    """
    rendered, tree = _looked_at(folder, renderer, root, cwd or Path.cwd(), dict(texts or {}), variables)
    if not rendered.problems:
        built = _built(rendered, renderer, tree, rendered.shown) if printed is None else None
        rendered = built or _with_text(rendered, printed or b"")
    path = rendered.survey.kustomizations[rendered.survey.root].path
    if rendered.known is None or (rendered.root / path).is_file():
        return rendered
    led = rendered.known.led_problem
    problems = (one if (rendered.cwd / one.path).is_file() else led(one) for one in rendered.problems)
    return replace(rendered, problems=tuple(problems))


def looked_at(
    folder: Path, renderer: Renderer, *, root: Path, cwd: Path, variables: Variables | None = None
) -> Rendered:
    """Survey a kustomization like `render`, without starting Kustomize: its parts and problems.

    Raises:
        LookupError: the folder holds no kustomization.
    """
    return _looked_at(folder, renderer, root, cwd, {}, variables)[0]


def _looked_at(
    folder: Path, renderer: Renderer, root: Path, cwd: Path, texts: dict[str, bytes], variables: Variables | None
) -> tuple[Rendered, DiskTree]:
    below = Path(os.path.realpath(folder)).relative_to(os.path.realpath(root)).as_posix()
    below = "" if below == "." else below

    def shown(path: str) -> str:
        return display_path(root / path, cwd)

    more = variables or Variables("", "", "", 0, ())
    for_flux, deep, layer = variables is not None, more.deep, more.layer
    tree, found = surveyed(
        root, below, shown, renderer.allowed, texts, renderer.contents, for_flux=for_flux, deep=deep, layer=layer
    )
    if found.root not in found.kustomizations:
        raise LookupError(f"there is no kustomization in {folder}")
    kept = MappingProxyType(dict(texts))
    known = KnownVariables(variables, tree, shown, below) if variables is not None else None
    path = shown(below) if variables is None else f"{shown(below)} with {variables.title}"
    problems = (*found.obstacles, *(known.problems if known is not None else ()))
    return Rendered(path, root, cwd, found, problems, renderer=renderer, texts=kept, known=known), tree


def rendered_again(rendered: Rendered, texts: Mapping[str, bytes]) -> Rendered:
    """Return the build with other texts for some files, by printed path; itself if it reads none of them."""
    below = {rendered.shown(path): path for path in rendered.files}
    mine = {below[path]: data for path, data in texts.items() if path in below}
    if rendered.renderer is None or all(rendered.survey.files.get(path) == data for path, data in mine.items()):
        return rendered
    if rendered.renderer.allowed.anything:
        reason = "with --kustomize-flag it is built in place, and cannot be built with other texts"
        return replace(rendered, reading=None, problems=(Obstacle(rendered.path, None, reason),))
    folder = rendered.root / rendered.below
    both = {**rendered.texts, **mine}
    variables = rendered.known.variables if rendered.known is not None else None
    return render(folder, rendered.renderer, root=rendered.root, cwd=rendered.cwd, texts=both, variables=variables)


def traced_again(rendered: Rendered, texts: Mapping[str, bytes]) -> list[Traceable]:
    """Return the traced objects with other texts for some files, by printed path; Kustomize is not started."""
    below = {rendered.shown(path): path for path in rendered.survey.files}
    mine = {below[path]: data for path, data in texts.items() if path in below}
    if not mine.keys() & {one.path for one in rendered.survey.kustomizations.values()}:
        return trace(with_files(rendered.survey, mine, rendered.shown))
    both = {**rendered.texts, **mine}
    allowed = rendered.renderer.allowed if rendered.renderer is not None else AllowedFiles()
    _, found = surveyed(rendered.root, rendered.survey.root, rendered.shown, allowed, both)
    return trace(found) if not found.obstacles else []


def _built(rendered: Rendered, renderer: Renderer, tree: DiskTree, shown: Callable[[str], str]) -> Rendered:
    found, place = rendered.survey, tree.root if renderer.allowed.anything else None
    heads = {} if place is not None else heads_of(found)
    # a patch may need what is left out here
    variants = ({**found.files, **heads}, found.files) if heads else (found.files,)
    known = renderer.known if place is None and not renderer.flags else None
    if known is not None:
        for files in variants:
            printed = known.recall(renderer.program, found.root, files)
            if printed is not None:
                return _with_text(rendered, printed)
    try:
        for files in variants:
            keep_out(rendered.root / path for path in files)
            with staged(found.root, files, place) as stage:
                ran = build(renderer.program, stage.folder, stage.home, renderer.flags, renderer.time)
                if not ran.failed:
                    if known is not None:
                        known.keep(renderer.program, found.root, files, ran.output)
                    break
                problem = complaint(ran.error, stage, found, shown)
        else:
            return replace(rendered, problems=(problem,))
    except (ProgramError, OSError) as error:
        top = rendered.top
        span = top.document.locate((), "key") if top.document is not None else None
        return replace(rendered, problems=(Obstacle(shown(top.path), span, f"{rendered.path}: {error}"),))
    return _with_text(rendered, ran.output)


def _with_text(rendered: Rendered, printed: bytes) -> Rendered:
    reading = read(rendered.path, printed, max_bytes=MOST_OUTPUT, skimmed=SKIMMED)
    objects = tuple(trace(rendered.survey))
    found = _origins(rendered, reading, objects)
    if rendered.known is not None:
        filled, found, problems = with_variables(reading, found, rendered.known)
        rendered = replace(rendered, problems=problems)
        return replace(rendered, reading=filled, origins=found, objects=objects, printed=printed)
    return replace(rendered, reading=reading, origins=found, objects=objects, printed=printed)


def _origins(rendered: Rendered, reading: Reading, objects: tuple[Traceable, ...]) -> tuple[Origin | None, ...]:
    top = rendered.survey.kustomizations[rendered.survey.root]
    if top.document is None:
        return ()
    pointer: Pointer = next(((key,) for key in ("resources", "bases") if key in top.value), ())
    fallback = FieldWriter(EntryScript(top.document, pointer, "key"), (), top.path, "kustomization")
    return origins([one.value for one in reading.documents], objects, fallback, rendered.path)
