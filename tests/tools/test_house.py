"""The measures of the house, on small trees that are made up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tools.house import MEASURES, main
from tools.house_counts import House

ROOT = Path(__file__).resolve().parents[2]
CORE = {
    "kubelint_gpu/__init__.py": "",
    "kubelint_gpu/scheduler/__init__.py": "",
    "kubelint_gpu/scheduler/plugins/__init__.py": "",
    "kubelint_gpu/scheduler/plugins/node_ports.py": 'NAME = "NodePorts"\nREASON = "node(s) had no free ports at all"\n',
}


@pytest.fixture
def tree(tmp_path):
    """A repository of the core above and some more files."""

    def make(**files):
        for path, text in {**CORE, **files}.items():
            file = tmp_path / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(dedent(text), encoding="utf-8")
        return tmp_path

    return make


@pytest.fixture
def house(tree):
    return lambda **files: House(tree(**files))


def module(path, text=""):
    return {f"kubelint_gpu/{path}.py": text}


def at(path, *lines):
    return [(f"kubelint_gpu/{path}.py", line) for line in lines]


def test_a_short_module_with_one_importer_is_counted(house):
    text = "from kubelint_gpu.{0} import x\n"
    users = {**module("views/d", text.format("checks.a")), **module("views/e", text.format("checks.a"))}
    users |= module("views/f", text.format("checks.b") + text.format("checks.c"))
    made = {**module("checks/a"), **module("checks/b"), **module("checks/c", "x = 1\n" * 151), **users}
    assert house(**made).for_one() == at("checks/b", 0)


def test_decisions_are_branches_loops_operators_and_comprehensions(house):
    few = "def few(x):\n" + "    if x: pass\n" * 29
    many = "def many(x):\n" + "    y = x and [z for z in x if z]\n" * 10
    assert house(**module("checks/a", f"{few}\n{many}")).complex_functions() == at("checks/a", 32)


def test_parameters_are_counted_without_self(house):
    text = "class A:\n    def f(self, a, b, c, d, e, f, *, g): pass\n    def g(self, a, b, c, d, e, f, g, *, h): pass\n"
    assert house(**module("checks/a", text)).long_signatures() == at("checks/a", 3)


def test_a_package_is_a_folder_and_folders_of_rules_are_aside(house):
    rules = {f"rules/KLG1-a/m{number}.py": "" for number in range(30)}
    assert house(**module("checks/a"), **module("checks/b/c"), **rules).packages() == {
        "kubelint_gpu": 1,
        "kubelint_gpu/scheduler": 1,
        "kubelint_gpu/scheduler/plugins": 2,
        "kubelint_gpu/checks": 1,
        "kubelint_gpu/checks/b": 1,
    }


def test_own_imports_are_distinct_modules_wherever_they_are_imported(house):
    text = """
        import json
        import kubelint_gpu.one
        from kubelint_gpu import one, two
        from kubelint_gpu.two import a, b
        from . import three
        def late():
            from kubelint_gpu.scheduler.plugins.node_ports import NAME
            from .four import x
    """
    files = [module(name) for name in ("one", "two", "checks/three", "checks/four")]
    found = house(**{path: body for file in files for path, body in file.items()}, **module("checks/a", text))
    assert found.imports["kubelint_gpu.checks.a"] == {
        "kubelint_gpu.one",
        "kubelint_gpu.two",
        "kubelint_gpu.checks.three",
        "kubelint_gpu.checks.four",
        "kubelint_gpu.scheduler.plugins.node_ports",
    } | ({"kubelint_gpu.checks"} & set(found.names))


def test_a_relative_import_of_a_package_starts_at_the_package(house):
    found = house(
        **module("checks/__init__", "from .a import x\nfrom ..b import y\n"), **module("checks/a"), **module("b")
    )
    assert found.imports["kubelint_gpu.checks"] == {"kubelint_gpu.checks.a", "kubelint_gpu.b"}


def test_modules_that_import_each_other_are_one_cycle_inside_of_functions_too(house):
    found = house(
        **module("a", "from kubelint_gpu.b import x\n"),
        **module("b", "def late():\n    from kubelint_gpu.c import x\n"),
        **module("c", "import kubelint_gpu.a\n"),
        **module("d", "import kubelint_gpu.a\n"),
    )
    assert found.cycles == [["kubelint_gpu.a", "kubelint_gpu.b", "kubelint_gpu.c"]]


def test_a_name_of_a_plugin_counts_outside_of_plugins_and_wordings(house):
    text = '"""Says NodePorts."""\nA = "NodePorts"\nB = {"NodePorts": 1}\nC = "NodePorts and more"\n'
    found = house(**module("simulation/a", text), **module("messages/a", text), **module("simulation/b", '"NodePorts"'))
    assert found.plugin_names() == at("simulation/a", 2)


def test_a_tree_without_plugins_or_without_their_names_is_an_error(tmp_path, house):
    with pytest.raises(SystemExit, match="no folder of plugins"):
        House(tmp_path)
    with pytest.raises(SystemExit, match="has a constant NAME"):
        house(**module("scheduler/plugins/node_ports", "PLUGIN = 1\n")).plugin_names()


def test_strategies_are_asked_for_by_isinstance_and_by_match(house):
    text = """\
        isinstance(a, DaemonSetStrategy)
        isinstance(a, (int, rolling.DeploymentStrategy))
        isinstance(a, Strategies)
        match a:
            case JobStrategy():
                pass
            case int():
                pass
    """
    found = house(**module("checks/a", text), **module("simulation/controllers/job", text))
    assert found.strategies() == at("checks/a", 1, 2, 5)


def test_identities_are_calls_of_the_builtin(house):
    found = house(**module("a", "x[id(a)]\nb.id(c)\nid\n{id(one) for one in a}\n"))
    assert found.identities() == at("a", 1, 4)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ('"free ports" in text', True),
        ('"free ports" not in anything', True),
        ("any(word in text for word in ('free ports', 'x'))", True),
        ("lack.reason.removeprefix(PREFIX)", True),
        ("status.reasons[0].startswith('node(s) ')", True),
        ("draft.cause.split()", True),
        ("line.startswith('node(s) had no')", True),
        ("PATTERN.search(step.message)", True),
        ("PATTERN.sub('', text)", True),
        ('"free ports" in {"free ports": 1}', False),
        ('"free" in text', False),
        ('"unrelated words" in text', False),
        ("path.split('/')", False),
        ("PATTERN.search(path)", False),
    ],
)
def test_own_texts_that_are_read_again(house, text, counts):
    assert house(**module("simulation/a", text)).parsed_texts() == (at("simulation/a", 1) if counts else [])
    assert (
        house(**module("documents/a", text), **module("checks/expiry", text), **module("simulation/a")).parsed_texts()
        == []
    )


def test_a_sentence_is_no_part_of_itself(house):
    assert house(**module("simulation/a", "said == 'two words'\n'two words' in text\n")).parsed_texts() == []


def test_names_that_are_there_twice(house):
    found = house(
        **module("a/one", "class A:\n    class B: ...\n"),
        **module("b/one", "class A: ...\nclass B: ...\n"),
        **module("b/__init__"),
        **module("b/two", "class C: ...\n"),
    )
    assert list(found.classes()) == ["A"]
    assert list(found.namesakes()) == ["one"]


def test_numbers_of_the_core_are_thresholds_wherever_they_are_but_in_the_budget(house):
    text = "_MOST = 4\nDEFAULT_BUDGET: int = 20_000\n_PART = 1 / 4\n_NAME = 'a'\nsmall = 4\n_COPY = _MOST\nNOTE_LIMIT = 1024\n"
    found = house(**module("simulation/a", text), **module("budget", text), **module("cli/a", text))
    assert found.thresholds() == at("simulation/a", 1, 2, 3)


def test_a_test_file_of_its_name_serves_one_module(house):
    long, tests = "x = 1\n" * 31, ("checks/test_wait.py", "simulation/test_rollout_state.py", "messages/wait.py")
    found = house(
        **module("checks/wait", long),
        **module("simulation/wait", long),
        **module("simulation/state", long),
        **module("simulation/short", "x = 1\n" * 30),
        **{"rules/KLG1-a/check.py": long},
        **{f"tests/{path}": "" for path in tests},
    )
    assert found.untested(exact=True) == (
        ["kubelint_gpu/simulation/state.py", "kubelint_gpu/simulation/wait.py"],
        3,
    )
    assert found.untested(exact=False) == (["kubelint_gpu/simulation/wait.py"], 3)


def test_patches_of_the_product_are_counted_and_those_of_the_standard_library_are_not(house):
    text = """\
        import os
        from gc import callbacks
        from kubelint_gpu.simulation.questions import decide
        def test(monkeypatch):
            monkeypatch.setattr(decide, "a", 1)
            monkeypatch.setattr("kubelint_gpu.simulation.questions.decide.a", 1)
            monkeypatch.setattr("os.open", 1)
            monkeypatch.setattr(os, "open", 1)
            monkeypatch.setattr(callbacks, "a", 1)
            monkeypatch.setattr(found.unit, "a", 1)
            monkeypatch.setenv("A", "1")
            found.__dict__["judgements"] = 1
            found.__dict__.update(a=1)
            object.__setattr__(found, "a", 1)
            assert found.__dict__["a"]
    """
    found = house(**{"tests/test_a.py": text})
    assert found.patches() == [("tests/test_a.py", line) for line in (5, 6, 10, 12, 13, 14)]


def test_what_is_worse_than_its_limit_fails_and_is_named_before_the_table(tree, capsys):
    root = tree(**{"tools/house.json": "{}"})
    assert main(["--root", str(root)]) == 1, "a measure without a limit"
    assert main(["--root", str(root), "--update"]) == 0
    limits = json.loads((root / "tools/house.json").read_text())
    assert list(limits) == [one.key for one in MEASURES]
    capsys.readouterr()
    tree(**module("a", "x[id(a)]\n"))
    assert main(["--root", str(root)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "id is worse than its limit: `python tools/house.py --list id` says where"
    assert lines[-len(MEASURES) - 1].startswith("measure")
    assert [line for line in lines if line.endswith(" worse")] == [f"{'id() as a key':<54}{1:>8}{0:>8}{5:>8} worse"]


def test_an_update_writes_what_got_better_and_nothing_that_got_worse(tree, capsys):
    root = tree(**module("a", "id(a)\nid(a)\n"), **{"tools/house.json": "{}"})
    main(["--root", str(root), "--update"])
    tree(**module("a", "id(a)\nclass A: ...\n"), **module("b", "class A: ...\n"))
    assert main(["--root", str(root), "--update"]) == 1
    limits = json.loads((root / "tools/house.json").read_text())
    assert (limits["id"], limits["classes"]) == (1, 0)
    assert "classes is worse" in capsys.readouterr().out


def test_small_changes_of_the_number_of_lines_are_free(tree):
    root = tree(**module("a", "x = 1\n" * 20), **{"tools/house.json": "{}"})
    main(["--root", str(root), "--update"])
    assert json.loads((root / "tools/house.json").read_text())["lines"] == 250


def test_more_tested_modules_are_better(tree, capsys):
    root = tree(**module("a/wait", "x = 1\n" * 31), **module("a/state", "x = 1\n" * 31), **{"tests/test_wait.py": ""})
    (root / "tools").mkdir()
    main(["--root", str(root), "--update"])
    assert json.loads((root / "tools/house.json").read_text())["tested"] == 50
    (root / "tests/test_wait.py").rename(root / "tests/test_state.py")
    assert main(["--root", str(root)]) == 0
    (root / "tests/test_state.py").unlink()
    assert main(["--root", str(root)]) == 1
    capsys.readouterr()
    main(["--root", str(root), "--list", "tested"])
    assert capsys.readouterr().out == "kubelint_gpu/a/state.py\nkubelint_gpu/a/wait.py\n"


def ran_alone(*options):
    """The table, made with the standard library alone."""
    command = [sys.executable, "-S", "tools/house.py", *map(str, options)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout.splitlines()


def test_the_measures_need_the_standard_library_alone(tree):
    root = tree(**{"tools/house.json": "{}"})
    assert ran_alone("--root", root, "--update")[0].startswith("measure")


@pytest.mark.thorough
def test_the_house_keeps_to_its_limits():
    assert ran_alone()[0].startswith("measure")


@pytest.mark.parametrize(
    "text",
    [
        "exec('a = 1')",
        "import marshal",
        "def f():\n    from _blake2 import blake2b",
        "from re import _compiler",
        "import gc\ngc.disable()",
        "import os\nos._exit(0)",
        "import sys\nsys.modules['a'] = sys",
        "import sys\ndel sys.modules['a']",
        "import sys\nsys.modules.update({})",
        "import sys\nsys.meta_path.insert(0, None)",
        "def f(self):\n    self.__class__ = int",
    ],
)
def test_a_trick_is_found(house, text):
    assert len(house(**module("checks/a", text)).tricks()) == 1


def test_plain_code_has_no_trick(house):
    text = "import gc, re, sys\nfrom collections.abc import Set\ngc.freeze()\nre.compile('a')\nsys.modules.get('a')\n"
    recipe = "import sys\nsys.modules['a'] = sys\n"
    assert house(**module("checks/a", text), **module("engine/registry", recipe)).tricks() == []
