"""The pieces of Go templates."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.sources.helm.template_text import TemplateError, pieces


def told(text):
    return [(one.kind, text[one.start : one.end]) for one in pieces(text)]


def test_text_and_actions_are_told_apart():
    assert told("a: {{ .Values.a }}\n{{- if .x }}b{{ end -}}\n  c") == [
        ("text", "a: "),
        ("output", "{{ .Values.a }}"),
        ("control", "{{- if .x }}"),
        ("text", "b"),
        ("control", "{{ end -}}"),
        ("text", "c"),
    ]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{{/* }} */}}", "silent"),
        ("{{- /* a\nb */ -}}", "silent"),
        ("{{ $x := .Values.a }}", "silent"),
        ("{{ $k, $v = 1 }}", "silent"),
        ('{{ printf "}}" }}', "output"),
        ("{{ `}}` }}", "output"),
        ("{{ '}' }}", "output"),
        ('{{ template "a" . }}', "output"),
        ("{{ end_of_it }}", "output"),
    ],
)
def test_an_action_ends_where_go_says(text, kind):
    assert told(text) == [(kind, text)]


def test_each_piece_knows_what_encloses_it():
    found = pieces('{{ define "a" }}{{ range .x }}1{{ else }}2{{ end }}{{ end }}3')
    within = {"".join(one.inner.strip() for one in piece.within) for piece in found if piece.kind == "text"}
    assert within == {'define "a"range .x', 'define "a"range .xelse', ""}
    assert found[0].defined == "a"


@pytest.mark.parametrize("text", ["{{ if .x }}", "{{ end }}", "{{ else }}", "{{ .x"])
def test_what_is_no_template_is_an_error(text):
    with pytest.raises(TemplateError):
        pieces(text)


@given(st.text(alphabet="{}-/* \n\"`'$:=.abindex|()", max_size=60))
def test_any_text_is_taken_apart_or_refused(text):
    try:
        found = pieces(text)
    except TemplateError:
        return
    ends = [0]
    for piece in found:
        assert ends[-1] <= piece.start < piece.end <= len(text)
        ends.append(piece.end)
