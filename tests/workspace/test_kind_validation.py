"""What stays of objects whose change the API server refuses."""

from __future__ import annotations

import pytest
from checks_units import deployment, unit

from kubelint_gpu.workspace.kind_validation import existing, kept_objects

OLD = deployment()


@pytest.mark.parametrize(
    ("new", "stays"),
    [
        (OLD.replace("image: registry", "image: other"), False),
        (OLD.replace("app: chat", "app: other"), True),
    ],
)
def test_a_selector_that_changes_leaves_the_object_as_it_was(new, stays):
    found = unit(new, before=OLD)
    kept = kept_objects(found.manifests, found.before, found.world, found.minor_release)
    assert kept == ({"Deployment/serving/chat": found.before["Deployment/serving/chat"]} if stays else {})


def test_an_object_is_known_as_it_was_or_as_the_inventory_captured_it():
    found = unit(OLD, before=OLD)
    (manifest,) = found.manifests
    assert existing(manifest, found.before, found.world) == manifest.item.value
    assert existing(manifest, {}, found.world) == {}
