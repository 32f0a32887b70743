"""Options and arguments, declared without imports that only `--help` needs: `inspect`, `locale`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from typing import Any

import click


class _Option(click.Option):
    """An option whose help is printed as written, so that click need not remove indentation."""

    def __init__(self, *given: Any, help: str | None = None, **more: Any) -> None:  # noqa: A002 - click's name
        super().__init__(*given, **more)
        self.help = help


def _show_help(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(ctx.get_help(), color=ctx.color)
        ctx.exit()


option = partial(click.option, cls=_Option)
HELP = _Option(
    ["-h", "--help"],
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_show_help,
    help="Show this message and exit.",
)


_RENDERING = (
    option("--helm", metavar="PATH", help="The helm that renders charts.  [default: the first on the PATH]"),
    option(
        "--helm-timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=60,
        metavar="SECONDS",
        help="How long rendering one chart may take.  [default: 60]",
    ),
    option(
        "--values",
        multiple=True,
        metavar="FILE",
        help="Render charts with this file of values, and with no other but their own; may be repeated.",
    ),
    option("--set", "sets", multiple=True, metavar="KEY=VALUE", help="Set a value of charts, as helm does."),
    option("--release", default="", metavar="NAME", help="The release of charts.  [default: the name of the chart]"),
    option("--namespace", default="", metavar="NAME", help="The namespace of charts.  [default: default]"),
    option(
        "--kustomize",
        metavar="PATH",
        help="The kustomize or kubectl that renders.  [default: the first on the PATH]",
    ),
    option(
        "--kustomize-flag",
        "kustomize_flags",
        multiple=True,
        metavar="FLAG",
        help="Hand a flag to kustomize, such as --enable-helm; may be repeated. It may then start programs.",
    ),
    option(
        "--kustomize-timeout",
        type=click.FloatRange(min=0, min_open=True),
        default=60,
        metavar="SECONDS",
        help="How long rendering one kustomization may take.  [default: 60]",
    ),
)


def rendering_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options for rendering kustomizations and charts; the command gets them as `renderer`."""

    @wraps(command)
    def with_renderer(
        *,
        helm: str | None,
        helm_timeout: float,
        values: tuple[str, ...],
        sets: tuple[str, ...],
        release: str,
        namespace: str,
        kustomize: str | None,
        kustomize_flags: tuple[str, ...],
        kustomize_timeout: float,
        **others: Any,
    ) -> int:
        from kubelint_gpu.sources.helm.given_values import is_release
        from kubelint_gpu.workspace.project.charts import HelmSettings
        from kubelint_gpu.workspace.project.kustomizations import RenderSettings

        for name, text in (("--release", release), ("--namespace", namespace)):
            if text and not is_release(text):
                raise click.UsageError(f'{name}: "{text}" is no lowercase name such as serving')
        charts = HelmSettings(helm, helm_timeout, values, sets, release, namespace)
        renderer = RenderSettings(kustomize, kustomize_flags, kustomize_timeout, helm=charts)
        return command(renderer=renderer, **others)

    decorated: Callable[..., int] = with_renderer
    for decorate in reversed(_RENDERING):
        decorated = decorate(decorated)
    return decorated


_SCHEMES = {"dask": "tcp", "tls": "tls"}


def _address(_context: click.Context, _parameter: click.Parameter, text: str | None) -> str | None:
    """Check the address of a scheduler, in the form that Dask uses.

    Raises:
        click.BadParameter: the address is invalid.
    """
    if text is None:
        return None
    from urllib.parse import urlsplit

    try:
        found = urlsplit(text)
        usable = (
            found.scheme in _SCHEMES and found.hostname and found.port and text == f"{found.scheme}://{found.netloc}"
        )
    except ValueError:
        usable = False
    if not usable or "@" in text:
        raise click.BadParameter(f'"{text}" is no address such as dask://10.0.0.1:8786')
    return f"{_SCHEMES[found.scheme]}://{found.netloc}"


executor_option = option(
    "--executor",
    metavar="ADDRESS",
    callback=_address,
    help="Who judges: dask://HOST:PORT or tls://HOST:PORT, the scheduler of a Dask cluster.  [default: this machine]",
)
