"""A defect of this program: only the object at hand is lost."""

from __future__ import annotations

from kubelint_gpu.findings.finding import INTERNAL, Finding, Place, fingerprint

NAME = "not-judged"
_MOST = 200


def defect(place: Place, what: str, error: Exception, *, name: str = "", cause: str = "") -> Finding:
    """The finding for an unexpected exception; `what` says what was not done, `name` is the object."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f" ({at.tb_frame.f_code.co_name}, line {at.tb_lineno})" if at is not None else ""
    said = str(error)
    said = said if len(said) <= _MOST else f"{said[:_MOST]}..."
    return Finding(
        code=INTERNAL,
        name=NAME,
        severity="error",
        certainty="certain",
        message=f"{what}: {type(error).__name__}: {said}{where}; please report it, with what stands here",
        place=place,
        object=name,
        cause=cause or what,
        fingerprint=fingerprint(INTERNAL, place.path, name, cause or what),
    )
