"""Fields that the API server would refuse, and values that something fills in later."""

from __future__ import annotations

import pytest

from kubelint_gpu.kube.values.errors import InvalidObject, field_path, is_patched_later, is_placeholder


@pytest.mark.parametrize(
    "text",
    ["${GPUS}", "$GPUS", "$(GPUS)", "{{ .Values.gpus }}", "<gpus>", "__GPUS__", "CHANGEME", "replaced-by-kustomize",
     "ENC[AES256_GCM,data:x]", "a-${B}-c"],
)  # fmt: skip
def test_what_is_filled_in_later_is_a_placeholder(text):
    assert is_placeholder(text)


@pytest.mark.parametrize("value", ["4", "", "$5", "a < b", "{x}", "__", "xENC[A,", 4, None, ["${GPUS}"]])
def test_other_values_are_what_they_say(value):
    assert not is_placeholder(value)


def test_a_name_may_say_that_an_overlay_replaces_it():
    assert is_patched_later("replaced-by-kustomize")
    assert is_patched_later("replace_by_x")
    assert not is_patched_later("${NAME}")


@pytest.mark.parametrize(
    ("pointer", "path"),
    [
        ((), ""),
        (("spec", "containers", 0, "image"), "spec.containers[0].image"),
        (("metadata", "labels", "example.com/x"), "metadata.labels[example.com/x]"),
    ],
)
def test_a_path_is_written_as_the_api_server_writes_it(pointer, path):
    assert field_path(pointer) == path


def test_an_error_names_the_object_the_field_and_what_is_wrong():
    error = InvalidObject("must be positive", ("spec", "replicas"), "${N}", kind="Deployment", name="ml/web")
    assert str(error) == "Deployment ml/web: spec.replicas: must be positive"
    assert error.placeholder
    assert str(InvalidObject("is wrong")) == "is wrong"
