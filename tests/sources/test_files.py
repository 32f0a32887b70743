import io
import os
import sys

import pytest

from kubelint_gpu.documents import read, too_large
from kubelint_gpu.sources.files import SourceError, collect

posix = pytest.mark.skipif(sys.platform == "win32", reason="links and pipes of POSIX")


@pytest.fixture
def tree(tmp_path):
    def make(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
        return tmp_path

    return make


def paths(collected):
    return [file.path for file in collected.files]


def test_directories_are_walked_in_the_order_of_their_names(tree):
    root = tree("b.yaml", "a/z.yml", "a/b/c.json", "a.yaml", "c.txt", "README.md", "B.yaml")
    found = collect(["."], cwd=root)
    assert paths(found) == ["B.yaml", "a/b/c.json", "a/z.yml", "a.yaml", "b.yaml"]
    assert [file.data.decode() for file in found.files] == paths(found)
    assert found.errors == ()


def test_hidden_folders_and_those_of_tools_are_left_out(tree):
    root = tree(
        "a.yaml", ".git/b.yaml", ".cache/b.yaml", "node_modules/b.yaml", "venv/b.yaml", "env/pyvenv.cfg", "env/b.yaml"
    )
    assert paths(collect(["."], cwd=root)) == ["a.yaml"]


def test_a_hidden_folder_that_is_named_is_read(tree):
    root = tree(".hidden/b.yaml")
    assert paths(collect([".hidden"], cwd=root)) == [".hidden/b.yaml"]


def test_templates_of_a_chart_are_skipped_with_a_note_and_others_are_not(tree):
    root = tree("chart/Chart.yaml", "chart/values.yaml", "chart/templates/a.yaml", "templates/b.yaml")
    found = collect(["."], cwd=root)
    assert paths(found) == ["chart/Chart.yaml", "chart/values.yaml", "templates/b.yaml"]
    ((skipped,)) = found.skipped
    assert skipped.path == "chart/templates"
    assert "helm template" in skipped.message


def test_a_named_file_is_read_whatever_its_name_unless_only_helm_can_read_it(tree):
    root = tree("notes.txt", "chart/Chart.yaml", "chart/templates/a.yaml")
    collected = collect(["notes.txt", "chart/templates/a.yaml"], cwd=root)
    assert paths(collected) == ["notes.txt"]
    assert [skipped.path for skipped in collected.skipped] == ["chart/templates/a.yaml"]


def test_the_order_is_that_of_the_arguments_and_no_file_comes_twice(tree):
    root = tree("a.yaml", "b.yaml", "d/c.yaml")
    found = collect(["b.yaml", ".", "./b.yaml", "d", str(root / "a.yaml")], cwd=root)
    assert paths(found) == ["b.yaml", "a.yaml", "d/c.yaml"]
    assert found.errors == ()


def test_paths_outside_of_the_working_directory_are_relative_too(tree):
    root = tree("x/a.yaml", "y/b.yaml")
    assert paths(collect(["../x"], cwd=root / "y")) == ["../x/a.yaml"]
    assert paths(collect([str(root / "x" / "a.yaml")], cwd=root / "y")) == ["../x/a.yaml"]


def test_one_bad_path_hides_no_other(tree):
    root = tree("a.yaml", "empty/README.md")
    found = collect(["missing.yaml", "a.yaml", "empty", "bad\0name", "a.yaml/b"], cwd=root)
    assert paths(found) == ["a.yaml"]
    assert found.errors[0] == SourceError("missing.yaml", "no such file or directory")
    assert found.errors[1] == SourceError("empty", "no *.yaml, *.yml or *.json in this directory")
    assert [error.path for error in found.errors[2:]] == ["bad\0name", "a.yaml/b"]
    assert all(error.message for error in found.errors)


def test_standard_input_has_the_name_it_is_given(tree):
    root = tree("a.yaml")
    found = collect(["-", "a.yaml", "-"], cwd=root, stdin=io.BytesIO(b"kind: A"), stdin_filename="deploy.yaml")
    assert paths(found) == ["deploy.yaml", "a.yaml"]
    assert found.files[0].data == b"kind: A"


def test_standard_input_that_is_not_there_is_an_error():
    assert collect(["-"]).errors == (SourceError("<stdin>", "there is no standard input to read"),)


@pytest.mark.parametrize("given", [b"", b" \n\n"])
def test_nothing_on_standard_input_is_an_error(given):
    found = collect(["-"], stdin=io.BytesIO(given))
    assert found.files == ()
    (error,) = found.errors
    assert error.message == "standard input is empty: the command that writes it may have failed"


@pytest.mark.parametrize(
    "given",
    [b"Usage:  helm template [NAME] [CHART] [flags]\n", b"\nRender chart templates.\n\nUsage:\n", b"# x\n---\n"],
)
def test_a_text_without_any_object_on_standard_input_is_an_error(given):
    found = collect(["-"], stdin=io.BytesIO(given))
    (error,) = found.errors
    assert not found.files
    assert error.message.startswith("standard input has no object, which would have a kind: ")


@pytest.mark.parametrize("given", ["kind: A", '{"apiVersion": "v1", "kind" : "A"}', "'kind': A", "a: {kind: A"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_what_may_have_an_object_is_read(given, encoding):
    assert len(collect(["-"], stdin=io.BytesIO(given.encode(encoding))).files) == 1


def test_a_file_that_is_too_large_is_not_taken_into_memory(tree):
    root = tree("a.yaml")
    (root / "a.yaml").write_bytes(b"a" * 1000)
    (file,) = collect(["a.yaml"], cwd=root, max_bytes=10).files
    assert len(file.data) == 11
    assert read(file.path, file.data, max_bytes=10).problems == too_large("a.yaml", 10).problems
    (stdin,) = collect(["-"], stdin=io.BytesIO(b"kind: A" * 1000), max_bytes=10).files
    assert len(stdin.data) == 11


@posix
def test_links_lead_nowhere_out_of_the_directory(tree):
    root = tree("in/a.yaml", "in/sub/b.yaml", "out/c.yaml")
    (root / "in" / "ring").symlink_to(root / "in")
    (root / "in" / "away").symlink_to(root / "out")
    (root / "in" / "c.yaml").symlink_to(root / "out" / "c.yaml")
    (root / "in" / "again.yaml").symlink_to(root / "in" / "a.yaml")
    found = collect(["in"], cwd=root)
    assert paths(found) == ["in/a.yaml", "in/sub/b.yaml"]
    assert [skipped.path for skipped in found.skipped] == ["in/away", "in/c.yaml", "in/ring"]
    assert paths(collect(["in/c.yaml", "in/away"], cwd=root)) == ["in/c.yaml"]


@posix
def test_links_that_lead_to_nothing_or_to_themselves_are_left_out_and_are_errors_where_they_are_named(tree):
    root = tree("a.yaml")
    (root / "gone.yaml").symlink_to(root / "nothing.yaml")
    (root / "loop.yaml").symlink_to(root / "loop.yaml")
    found = collect(["."], cwd=root)
    assert paths(found) == ["a.yaml"]
    assert [(one.path, one.message) for one in found.skipped] == [
        ("gone.yaml", "a link to nothing"),
        ("loop.yaml", "a link to nothing"),
    ]
    assert not found.errors
    assert [error.path for error in collect(["loop.yaml"], cwd=root).errors] == ["loop.yaml"]


@posix
@pytest.mark.parametrize("named", [True, False])
def test_a_pipe_is_an_error_and_is_not_waited_for(tree, named):
    root = tree("a.yaml")
    os.mkfifo(root / "pipe.yaml")
    found = collect(["pipe.yaml", "a.yaml"] if named else ["."], cwd=root)
    assert paths(found) == ["a.yaml"]
    assert found.errors == (SourceError("pipe.yaml", "not a regular file; use - to read from a pipe"),)


@posix
def test_a_device_is_an_error():
    (error,) = collect(["/dev/zero"]).errors
    assert "not a regular file" in error.message


@posix
def test_what_may_not_be_read_is_an_error_and_hides_nothing(tree, monkeypatch):
    root = tree("a.yaml", "b.yaml")
    real = os.open

    def denied(path, *rest):
        if str(path).endswith("a.yaml"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    monkeypatch.setattr(os, "open", denied)
    found = collect(["."], cwd=root)
    assert paths(found) == ["b.yaml"]
    assert found.errors == (SourceError("a.yaml", "no permission to read it"),)
