"""What the linter says about recorded changes of objects that exist, beside the answer of the API server."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from conformance import refusals
from conformance.api_client import Object

_STATE = "depends on the object's state, which no manifest tells"
_CLUSTER = "depends on what else the cluster holds"
KNOWN = (
    (r"PersistentVolumeClaim .* is immutable after creation except resources\.requests", _STATE),
    (r"persistentvolumeclaims .*only dynamically provisioned pvc can be resized", _CLUSTER),
    (r"Service .*clusterIPs", "concerns neither scheduling nor rollout nor resources"),
)
"""What the linter may let pass, by the message of the API server, and why."""


def compared(records: Sequence[Object], excuses: Sequence[tuple[str, str]] = KNOWN) -> tuple[Counter[str], list[str]]:
    """How often they agree, and each change about which they do not.

    That is one that is accepted and that the linter calls refused, and one that is refused and passes for no known
    reason. A change counts as found, too, where the linter refuses the new object whatever was there before.
    """
    from kubelint_gpu.kube.updates.object_updates import refused_changes

    whole = refusals.told([{**each, "object": each["after"]} for each in records])
    counts: Counter[str] = Counter()
    wrong = []
    for record in records:
        minor = int(record["kubernetes"].split(".")[1])
        changes = [str(change.answer) for change in refused_changes(record["before"], record["after"], minor)]
        said = changes or whole.get(record["id"], [])
        kind, answer = record["before"]["kind"], record["applied"]
        if answer["accepted"]:
            counts[f"accepted, the linter {'calls it refused' if said else 'finds nothing'}"] += 1
            if said:
                wrong.append(f"{record['id']} ({kind}): accepted, the linter says {said[0]}")
            continue
        if said:
            where = "the change" if changes else "the new object"
            counts[f"refused, the linter refuses {where}"] += 1
            continue
        reason = known(record, excuses)
        counts[f"refused, the linter finds nothing: {reason or 'for no known reason'}"] += 1
        if not reason:
            wrong.append(f"{record['id']} ({kind}): refused, {answer['message']}")
    return counts, wrong


def known(record: Object, excuses: Sequence[tuple[str, str]] = KNOWN) -> str:
    """Why the linter may let a refused change pass; empty where it may not."""
    text = record["applied"]["message"]
    return next((why for pattern, why in excuses if re.match(pattern, text, re.DOTALL)), "")
