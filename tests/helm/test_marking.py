"""Copies of templates whose output says where it was written."""

from __future__ import annotations

import base64

import pytest

from kubelint_gpu.sources.helm.marking import marked_copy, printed


def marks_of(text):
    copy = marked_copy({"templates/a.yaml": text})
    return [text[one.start : one.end] for one in copy.marked]


def test_each_line_of_text_and_each_output_has_a_mark():
    text = "a: {{ .Values.a }} b\n\n  c: d\n{{ if .x }}e{{ end }}"
    assert marks_of(text) == ["a: ", "{{ .Values.a }}", "b", "c: d", "e"]


@pytest.mark.parametrize(
    ("use", "marked"),
    [
        ('{{ include "x" . }}', True),
        ('{{- include "x" . | nindent 4 }}', True),
        ('{{ template "x" . }}', True),
        ('{{ include "x" (dict "a" (include "y" .)) | quote }}', True),
        ('{{ include "x" . | trunc 63 }}', False),
        ('{{ if include "x" . }}{{ end }}', False),
        ('{{ $a := include "x" . }}', False),
        ('{{ printf "%s" (include "x" .) }}', False),
        ('{{ include "x" . | fromYaml | toYaml }}', False),
    ],
)
def test_a_named_template_has_marks_where_they_disturb_nothing(use, marked):
    copy = marked_copy({"templates/_a.tpl": '{{ define "x" }}words{{ end }}', "templates/b.yaml": use})
    assert ("\u27e6" in copy.texts["templates/_a.tpl"]) is marked


def test_what_opaque_templates_take_in_is_opaque():
    texts = {
        "templates/_a.tpl": '{{ define "x" }}{{ include "y" . }}{{ end }}{{ define "y" }}words{{ end }}',
        "templates/b.yaml": '{{ include "x" . | trunc 63 }}',
    }
    assert "\u27e6" not in marked_copy(texts).texts["templates/_a.tpl"]


def test_a_template_with_the_signs_of_a_mark_stays_as_it_is():
    texts = {"templates/a.yaml": "a: \u27e6b\u27e7"}
    assert marked_copy(texts).texts == texts


def test_the_output_is_read_without_its_marks():
    name, text = (base64.b64encode(one.encode()).decode() for one in ("c/templates/a.yaml", "a: \u27e60\u27e71\n"))
    output = f"---\n# Source: c/templates/a.yaml\ndata:\n  name: {name}\n  text: {text}\n"
    ((template, found),) = printed(output)
    assert (template, found.text, found.marks) == ("c/templates/a.yaml", "a: 1\n", ((3, 0),))
