"""Variables that bring their own default: `${REPLICAS:=1}` is 1 where nobody sets it."""

from __future__ import annotations

from kubelint_gpu.patterns import pattern

_WITH_DEFAULT = pattern(r"\$\{[A-Za-z_][A-Za-z0-9_]*:?[=-](?P<default>[^${}\n]*)\}")


def with_defaults(text: str) -> str:
    """The text with the default of each variable; as it is where one of them has none.

    Source: envsubst of Flux (`postBuild.substitute` of a Kustomization, github.com/fluxcd/pkg/envsubst), which replaces
    the text before it is read as YAML.
    """
    filled = _WITH_DEFAULT.sub(lambda found: found["default"], text)
    return text if "${" in filled else filled
