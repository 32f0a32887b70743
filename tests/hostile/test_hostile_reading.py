"""Files that cost far more than their size, or that once ended the run: each in a child with little memory and time."""

import pytest
from limited import run, run_python

from kubelint_gpu.documents import read
from kubelint_gpu.documents.scalars import plain_key

READ = "import sys; from kubelint_gpu.documents import read; r = read('x.yaml', {}); print(len(r.documents), len(r.problems))"


@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("line", ["# licence", "", "  "])
def test_many_lines_before_the_first_document_are_read_in_a_moment(tmp_path, line, end):
    made = run_python(
        READ.format(f"({line + end!r} * 100_000 + 'a: b{end!s}').encode()".replace(end, repr(end)[1:-1])),
        cwd=tmp_path,
        seconds=5,
    )
    assert made.stdout == b"1 0\n", made


def test_a_directive_behind_comments_is_found_with_every_line_end():
    for end in ("\r\n", "\n", "\r"):
        reading = read("x.yaml", f"# licence{end}{end}  # more{end}%YAML 1.1{end}---{end}a: b{end}".encode())
        assert [problem.message for problem in reading.problems] == [
            "kubectl refuses directives before `---`; remove this line"
        ]
        assert reading.problems[0].span.line == 4
    # a text that goes on begins no directive
    assert not read("x.yaml", b"a: b\n  %C\n").problems


@pytest.mark.parametrize(
    ("written", "key"),
    [("1e39", ".inf"), ("-1e39", "-.inf"), ("1e38", "1e+38"), ("3.5e38", ".inf"), ("1" * 60, ".inf")],
)
def test_a_number_beyond_32_bits_is_the_key_that_kubectl_makes_of_it(written, key):
    assert plain_key(written) == key


def test_a_huge_number_as_a_key_costs_no_other_file_its_findings(tmp_path):
    (tmp_path / "odd.yaml").write_text("1e39: x\n")
    (tmp_path / "broken.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: [\n")
    made = run("check", "odd.yaml", "broken.yaml", cwd=tmp_path)
    assert made.returncode == 1, made
    assert b"broken.yaml:4" in made.stdout


MUCH = {
    "merge keys inside of each other": lambda: (
        "a: " + "{<<: " * 190 + "{" + ", ".join(f"k{number}: 1" for number in range(400_000)) + "}" + "}" * 191 + "\n",
        1,
    ),
    "merge keys of aliases": lambda: (
        "a0: &a0 {k: 1}\n" + "".join(f"a{n}: &a{n}\n  <<: *a{n - 1}\n  k{n}: 1\n" for n in range(1, 200_000)),
        1,
    ),
    "documents as deep as may be": lambda: (("---\n" + "{a: " * 196 + "1" + "}" * 196 + "\n") * 15_000, 1),
    "lists as deep as may be": lambda: (("---\n" + "[" * 196 + "1" + "]" * 196 + "\n") * 38_000, 1),
    "long lists": lambda: ("[" + "a," * 7_500_000 + "a]\n", 1),
    "empty mappings": lambda: ("[" + "{}," * 5_000_000 + "a]\n", 1),
    "different texts": lambda: ("".join(f"- x{number}\n" for number in range(2_000_000)), 0),
    "broken documents": lambda: ("---\n[\n" * 2_500_000, 1),
    "broken documents without line feeds": lambda: ("---\r[\r" * 2_500_000, 1),
    "documents that the C parser refuses": lambda: ("---\n[{image: nginx:1.2}]\n" * 600_000, 1),
    "JSON": lambda: ("[" + "1," * 7_500_000 + "1]", 1),
    "keys that stand twice": lambda: ("a: b\n" * 1_000_000, 1_001),
    "numbers that are none": lambda: ("- .inf\n" * 1_000_000, 1_001),
    "directives": lambda: ("---\n%A\n" * 100_000, 1_001),
}


@pytest.mark.thorough
@pytest.mark.parametrize("shape", sorted(MUCH))
def test_a_large_file_is_read_or_refused_within_a_gigabyte(tmp_path, shape):
    text, problems = MUCH[shape]()
    (tmp_path / "x.yaml").write_bytes(text.encode())
    code = "from kubelint_gpu.documents import read; r = read('x.yaml', open('x.yaml', 'rb').read()); print(len(r.problems))"
    made = run_python(code, cwd=tmp_path)
    assert made.returncode == 0, made.stderr
    assert int(made.stdout) == problems


@pytest.mark.thorough
def test_a_file_that_holds_too_much_says_where_and_costs_no_other_file(tmp_path):
    (tmp_path / "much.yaml").write_bytes(MUCH["documents as deep as may be"]()[0].encode())
    (tmp_path / "broken.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: [\n")
    made = run("check", "much.yaml", "broken.yaml", cwd=tmp_path)
    assert made.returncode in (1, 2), made
    assert b"broken.yaml:4" in made.stdout
    assert b"the file holds more than 3,000,000 values, the most that is read; split it" in b" ".join(
        made.stdout.split()
    )


@pytest.mark.thorough
def test_many_files_are_read_as_far_as_a_gigabyte_holds_them(tmp_path):
    for number in range(15):
        (tmp_path / f"{number:02}.yaml").write_text(("---\n" + "{a: " * 190 + "1" + "}" * 190 + "\n") * 1_050)
    (tmp_path / "zz.yaml").write_text("apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: [\n")
    made = run("check", ".", cwd=tmp_path)
    assert made.returncode == 1, made
    said = b" ".join(made.stdout.split())
    assert b"zz.yaml:4" in said
    assert said.count(b"values together, the most that is read; this one is left out") == 9


def test_what_is_wrong_throughout_is_told_by_its_first_lines():
    reading = read("x.yaml", b"a: b\n" * 5_000)
    assert [problem.span.line for problem in reading.problems] == list(range(2, 1_003))
    assert reading.problems[-1].message == "more than 1000 things are wrong with this file; the others are not told"


def test_merge_keys_of_usual_size_are_read():
    text = "base: &base {a: 1, b: 2}\n" + "".join(f"k{number}: {{<<: *base, c: 3}}\n" for number in range(10_000))
    reading = read("x.yaml", text.encode())
    assert not reading.problems
    assert reading.documents[0].value["k9999"] == {"a": 1, "b": 2, "c": 3}
