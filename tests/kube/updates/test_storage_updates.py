"""What a claim may change."""

from __future__ import annotations

import pytest
from update_objects import changed

from kubelint_gpu.documents import read
from kubelint_gpu.kube.updates.object_updates import refused_changes
from kubelint_gpu.kube.values.errors import field_path


def parsed(text):
    return read("a.yaml", text.encode()).documents[0].value


def refused(old, new, minor=34):
    return [(field_path(change.at[0]), change.answer) for change in refused_changes(old, new, minor)]


CLAIM = parsed("""
apiVersion: v1
kind: PersistentVolumeClaim
metadata: {name: data}
spec: {accessModes: [ReadWriteOnce], storageClassName: fast, resources: {requests: {storage: 10Gi}}}
""")


@pytest.mark.parametrize(
    ("path", "to", "part"),
    [
        (("spec", "resources", "requests", "storage"), "20Gi", None),
        (("spec", "resources", "requests", "storage"), "5Gi", "field can not be less than status.capacity"),
        (("spec", "storageClassName"), "slow", "spec is immutable after creation except"),
        (("spec", "storageClassName"), "", "spec is immutable after creation except"),
        (("spec", "accessModes"), ["ReadWriteMany"], "spec is immutable after creation except"),
        (("spec", "volumeMode"), "Filesystem", None),
        (("spec", "volumeName"), "pv-1", None),
        (("spec", "volumeAttributesClassName"), "gold", None),
    ],
)
def test_what_a_claim_may_change(path, to, part):
    found = refused(CLAIM, changed(CLAIM, path, to))
    assert len(found) == (part is not None)
    assert part is None or part in found[0][1]


def test_the_words_about_claims_are_those_of_the_release():
    smaller = changed(CLAIM, ("spec", "resources", "requests", "storage"), "5Gi")
    other = changed(CLAIM, ("spec", "accessModes"), ["ReadWriteMany"])
    assert refused(CLAIM, smaller, 31)[0][1].endswith("less than previous value")
    assert refused(CLAIM, other, 28)[0][1].endswith("except resources.requests for bound claims")
