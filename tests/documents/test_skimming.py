import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubelint_gpu.documents import Reading, comments, read
from kubelint_gpu.documents.parser import MIN_LENGTH, skim

KINDS = ("CustomResourceDefinition",)
LONG = "".join(f"            field{number}: {{type: string, description: 'a # b'}}\n" for number in range(200))
HEAD = """\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition # what it is
metadata:
  name: widgets.example.com
"""
BODY = f"""\
spec:
  group: example.com
  # kubelint-gpu: ignore[KLG001] of no effect here
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
          properties:
{LONG}"""
STATUS = "status:\n  conditions: []\n"


def both(text: str) -> tuple[Reading, Reading]:
    return read("crd.yaml", text.encode(), skimmed=KINDS), read("crd.yaml", text.encode())


def test_only_the_body_of_spec_is_missing_and_every_place_is_the_same() -> None:
    short, whole = both(HEAD + BODY + STATUS)
    assert short.documents[0].value == {**whole.documents[0].value, "spec": None}
    assert short.documents[0].locate(("status", "conditions")) == whole.documents[0].locate(("status", "conditions"))
    assert short.documents[0].locate(("metadata", "name")) == whole.documents[0].locate(("metadata", "name"))
    assert short.problems == whole.problems == ()
    assert [comment.text for comment in comments(short)] == ["# what it is"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param((HEAD + BODY).replace("CustomResourceDefinition", "Deployment"), id="of another kind"),
        pytest.param(HEAD + "spec:\n  group: example.com\n", id="short"),
        pytest.param(HEAD + BODY + "kind: Deployment\n", id="kind twice"),
        pytest.param(HEAD + BODY + "spec:\n  replicas: 1\n", id="spec twice"),
        pytest.param(HEAD + BODY + "  again: *name\n", id="an alias in the body"),
        pytest.param(HEAD + BODY.replace("spec:", "spec: {"), id="a flow mapping"),
        pytest.param(HEAD + BODY + "  {}: [\n", id="broken in the body"),
        pytest.param(HEAD + BODY + "\ttab: 1\n", id="a tab as indentation"),
        pytest.param(HEAD + BODY + "  }\n", id="a stray bracket"),
        pytest.param(f"{HEAD}spec:\n*{BODY}", id="nothing in the body, and an alias at its margin"),
    ],
)
def test_what_is_unusual_or_broken_is_read_whole(text: str) -> None:
    short, whole = both(text)
    assert short.problems == whole.problems
    assert [document.value for document in short.documents] == [document.value for document in whole.documents]


def test_other_documents_of_the_file_are_read_whole() -> None:
    pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}\n"
    short, whole = both(f"{pod}---\n{HEAD}{BODY}---\n{pod}")
    assert [document.value["spec"] for document in short.documents] == [{"containers": []}, None, {"containers": []}]
    assert [found.span.start for found in short.documents] == [found.span.start for found in whole.documents]


def test_the_body_ends_where_the_next_key_begins() -> None:
    found = skim(HEAD + BODY + STATUS, KINDS)
    assert found is not None
    assert (HEAD + BODY + STATUS)[found.end :] == STATUS
    assert len(found.text) == len(HEAD + BODY + STATUS)


def test_crlf_keeps_its_places() -> None:
    short, whole = both((HEAD + BODY + STATUS).replace("\n", "\r\n"))
    assert short.documents[0].locate(("status",), "key") == whole.documents[0].locate(("status",), "key")
    assert short.documents[0].value["spec"] is None


@pytest.mark.parametrize("alias", ["*type: object", "*type : object", "*a"])
def test_an_alias_in_it_is_read_whole_as_a_key_too(alias: str) -> None:
    short, whole = both(HEAD + BODY + f"  {alias}\n" + STATUS)
    assert [one.message for one in short.problems] == [one.message for one in whole.problems]
    assert len(short.problems) == 1


@given(
    st.lists(
        st.sampled_from([*"ab:-#'\"{}[]*&!|>,% \n\t", "\n  ", "\n    ", ": ", "- ", "kind: x\n", "\nspec:\n", "---\n"])
    ),
    st.integers(0, len(BODY)),
)
def test_whatever_is_written_into_it_no_problem_is_lost_but_equal_keys(pieces: list[str], place: int) -> None:
    text = HEAD + BODY[:place] + "".join(pieces) + BODY[place:] + STATUS
    short, whole = both(text)
    told = {(problem.span, problem.message) for problem in short.problems}
    for problem in whole.problems:
        if (
            "stands twice" not in problem.message
            and "no number" not in problem.message
            and "refuses" not in problem.message
        ):
            assert (problem.span, problem.message) in told
    assert len(BODY) > MIN_LENGTH
