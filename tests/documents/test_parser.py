"""What the parser takes as kubectl does."""

import subprocess
import sys
from pathlib import Path

import pytest
import ruamel.yaml
from problems import values

from kubelint_gpu.documents import comments, read

ROOT = Path(__file__).resolve().parents[2]
both = pytest.mark.parametrize("pure", [False, True], ids=["libyaml", "pure"])


@both
def test_colons_in_flow_collections_need_no_quotes(pure):
    """As go-yaml has it, which reads manifests for kubectl; libyaml would want quotes."""
    text = "a: [http://x, a:b, {image: nginx:1.2}] # why\nb: {uri: hf://y}\n"
    assert values(text, pure=pure) == [{"a": ["http://x", "a:b", {"image": "nginx:1.2"}], "b": {"uri": "hf://y"}}]
    reading = read("a.yaml", f"{text}---\nc: [d:e, *f]\n---\ng: h\n".encode(), pure=pure)
    assert [document.value for document in reading.documents] == [values(text)[0], {"g": "h"}]
    assert len(reading.problems) == 1
    assert [comment.text for comment in comments(reading)] == ["# why"]


def test_a_tab_behind_a_colon_is_accepted():
    assert values("a:\t1\nb: 2\t\n--- \t\n") == [{"a": 1, "b": 2}, None]


def test_text_behind_a_line_separator_in_a_comment_is_applied():
    assert values("x: 1 # foo\u2028z: 2\n") == [{"x": 1, "z": 2}]


def test_of_the_library_the_parser_in_c_loads_nothing_that_builds_or_writes():
    """As it stands in a run whose library is loaded part by part."""
    code = (
        "import sys, types; sys.modules['ruamel.yaml'] = package = types.ModuleType('ruamel.yaml')\n"
        "package.__path__ = [sys.argv[1]]\n"
        "from kubelint_gpu.documents.parser import c_parser, next_event\n"
        "assert c_parser() is not None\n"
        "print(*sorted(name for name in sys.modules if name.startswith('ruamel.yaml.')))\n"
        "from ruamel.yaml.scanner import ScannerError\n"
        "from ruamel.yaml.error import MarkedYAMLError\n"
        "assert ScannerError is not MarkedYAMLError\n"
        "assert type(next_event('a: 1')()).__name__ == 'StreamStartEvent'"
    )
    folder = Path(ruamel.yaml.__file__).parent
    ran = subprocess.run([sys.executable, "-c", code, folder], capture_output=True, text=True, check=True, cwd=ROOT)
    loaded = {name.rpartition(".")[2] for name in ran.stdout.split()}
    assert {"error", "events", "reader"} <= loaded
    assert loaded.isdisjoint({"composer", "constructor", "emitter", "parser", "representer", "scanner", "serializer"})
