"""What is called an immutable change is what the real API server refused, in recorded updates of several releases."""

from __future__ import annotations

from pathlib import Path

import pytest

from conformance import recording
from kubelint_gpu.kube.updates.object_updates import refused_changes

FILES = sorted((Path(__file__).resolve().parents[1] / "golden" / "updates").glob("*.jsonl.xz"))
RECORDS = [(path.name, record) for path in FILES for record in recording.read(path)]
# refusals that are none of an update, or rest on what a manifest does not tell
ELSEWHERE = {
    "claim-000": "an unbound claim may not grow; a claim counts as bound",
    "claim-012": "an unbound claim may not change its class of attributes",
    "claim-bound-fixed-000": "admission: the StorageClass does not allow expansion",
    "daemon-set-004": "invalid by itself: KLG003",
    "deployment-007": "invalid by itself: KLG008",
    "deployment-rolling-002": "invalid by itself: KLG003",
    "service-003": "the address that is written may be the one that was given out",
}


def test_there_are_recordings():
    assert len(RECORDS) >= 500


@pytest.mark.parametrize(
    ("name", "record"), RECORDS, ids=lambda value: value if isinstance(value, str) else value["id"]
)
def test_a_change_is_called_refused_if_and_only_if_it_was(name, record):
    found = list(refused_changes(record["before"], record["after"], int(name.split(".")[1])))
    real = record["patched"]
    if real["accepted"] or record["id"] in ELSEWHERE:
        assert found == []
    else:
        assert found
        fields = [change.answer.partition(":")[0] for change in found]
        theirs = [cause.get("field", "") for cause in real["causes"]]
        # the API server's own field is among those that are named, or around one of them
        assert any(one.startswith(tuple(fields)) or field.startswith(one) for one in theirs for field in fields)
