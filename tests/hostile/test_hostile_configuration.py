"""What a configuration or a kustomization in a pull request asks for: patterns that never end, keys that say nothing."""

import time

import pytest
from limited import run

from kubelint_gpu import linear
from kubelint_gpu.workspace.project.configuration import matches

MANIFEST = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: c, image: x}]}\n"


def checked(folder, configuration):
    (folder / ".kubelint-gpu.yaml").write_text(configuration)
    deep = folder / "/".join(["a"] * 40)
    deep.mkdir(parents=True)
    (deep / "pod.yaml").write_text(MANIFEST)
    made = run("check", ".", cwd=folder)
    assert b"please report" not in made.stderr, made.stderr.decode()
    return made


def test_a_severity_for_no_rule_is_told_with_its_line(tmp_path):
    made = checked(tmp_path, 'ignore: [KLG301]\nseverity: {"": note}\n')
    assert made.returncode == 2
    assert b".kubelint-gpu.yaml:2:12: names no rule" in made.stderr


def test_a_severity_for_several_rules_is_that_of_each(tmp_path):
    made = checked(tmp_path, "severity: {'KLG209,KLG301': note}\n")
    assert b"warning[KLG301]" not in made.stdout


def test_globs_without_end_are_told(tmp_path):
    made = checked(tmp_path, f"context: ['{'*' * 1001}']\n")
    assert b".kubelint-gpu.yaml:1:11: a glob has at most 1000 characters" in made.stderr


def test_too_many_globs_are_told(tmp_path):
    made = checked(tmp_path, "context: [" + ", ".join(f"x{number}" for number in range(1001)) + "]\n")
    assert b"at most 1000 globs" in made.stderr


def test_many_long_globs_are_told(tmp_path):
    globs = [f"**/{'*a*/*b*/' * 100}{number}" for number in range(1000)]
    made = checked(tmp_path, "per-path:\n" + "".join(f"  '{glob}': {{ignore: KLG301, reason: x}}\n" for glob in globs))
    assert made.returncode == 2
    assert (
        b".kubelint-gpu.yaml:64:3: the globs of a configuration have at most 50000 characters together" in made.stderr
    )


def test_as_many_long_globs_as_there_may_be_cost_little(tmp_path):
    globs = [f"**/{'*a*/*b*/' * 100}{number}" for number in range(62)]
    (tmp_path / ".kubelint-gpu.yaml").write_text(f"context: {globs}\n")
    for number in range(600):
        (tmp_path / f"pod{number}.yaml").write_text(MANIFEST)
    made = run("check", ".", cwd=tmp_path, memory=400 * 1024**2)
    assert b"600 workloads" in made.stdout


@pytest.mark.parametrize("expression", ["(a+)+b", "(a|a)*b", "(.*)*x", "(a?){500}a{500}", "((a*)*)*b"])
def test_expressions_of_a_kustomization_cost_time_in_proportion_to_the_name(expression):
    before = time.process_time()
    linear.matches(expression, "a" * 253)
    assert time.process_time() - before < 0.5


def test_an_expression_means_what_it_means_to_go():
    assert linear.matches("web|api", "api")
    assert not linear.matches("web|api", "apis")
    assert linear.matches(r"[[:alpha:]]+-\pL", "web-x")
    assert linear.matches("a(b", "a(b")
    assert not linear.matches("(a)\\1", "aa")
    assert linear.matches("a.", "a\udcff")
    assert linear.compiled("(" * 5000) is None


@pytest.mark.parametrize("glob", ["**/" * 300 + "x", "*a" * 400 + "x", "**" * 400 + "x", "a**/" * 200 + "x"])
def test_globs_cost_time_in_proportion_to_the_path(tmp_path, glob):
    made = checked(tmp_path, f"units: {{one: '{glob}'}}\nper-path: {{'{glob}': {{ignore: KLG301, reason: x}}}}\n")
    assert made.returncode in (0, 1), made
    before = time.process_time()
    assert not matches("a/" * 2000 + "b", glob)
    assert time.process_time() - before < 0.5
