"""Expressions of claims and classes that the API server refuses."""

from __future__ import annotations

from collections.abc import Iterator

from kubelint_gpu.analysis.devices.written_claims import device_objects
from kubelint_gpu.documents import Pointer
from kubelint_gpu.scheduler.framework.release import behaviour
from kubelint_gpu.values import Value
from kubelint_gpu.workspace.answers import once_each
from kubelint_gpu.workspace.apply_set import ApplySet
from kubelint_gpu.workspace.manifest import Manifest


class CompileFailure(Value):
    """An expression that the API server refuses; `offset` is the position of the error, or None."""

    manifest: Manifest
    pointer: Pointer
    expression: str
    message: str
    offset: int | None


@once_each
def compile_failures(unit: ApplySet) -> Iterator[CompileFailure]:
    """The expressions of a unit that do not compile."""
    # its functions are those of the release before, to which the API server may go back
    library = None if unit.minor_release is None else unit.minor_release - 1
    for manifest in device_objects(unit):
        from kubelint_gpu.kube.dra.resource_api import LONGEST_EXPRESSION
        from kubelint_gpu.kube.dra.selector import selector
        from kubelint_gpu.kube.validation.device_validation import expressions

        for pointer, text in expressions(manifest.item.value):
            if not text or len(text.encode()) > LONGEST_EXPRESSION:
                continue
            compiled = selector(text, shareable=_shares(unit), library=library)
            error = compiled.error
            if error is None:
                continue
            issue = error.issues[0] if error.issues else None
            message = error.text if issue is None else issue.message
            yield CompileFailure(manifest, pointer, text, message, None if issue is None else issue.offset)


def _shares(unit: ApplySet) -> bool:
    """Whether the release supports devices that several claims share: then expressions can refer to that."""
    from kubelint_gpu.scheduler.plugins.dynamic_resources.features import features_of

    return unit.minor_release is None or features_of(behaviour(unit.cluster.version)).betas
