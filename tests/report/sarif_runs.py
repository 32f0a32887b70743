"""The run that a SARIF log has, held to the schema."""

import json
from pathlib import Path

import jsonschema

from kubelint_gpu.report.content import Options
from kubelint_gpu.report.formats.sarif import render

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "sarif-schema-2.1.0.json").read_text(encoding="utf-8"))
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def run_of(found, **options):
    log = json.loads("".join(render(found, Options(**options))).encode())
    problems = [f"{list(error.absolute_path)}: {error.message}" for error in VALIDATOR.iter_errors(log)]
    assert problems == []
    return log["runs"][0]
