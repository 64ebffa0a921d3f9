"""Formats as other programs read or write them."""

import io
import json
from contextlib import redirect_stdout
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from junitparser import JUnitXml
from tests.report.documented import GITLAB, RDJSON
from tests.report.examples import TRAIN, saved_tensor_modified, simple

from autograd_lint.findings import Edit, Finding, Fix, Severity
from autograd_lint.places import Place
from autograd_lint.report import github, gitlab, junit, rdjson
from autograd_lint.report.notes import in_full

github_action_utils = pytest.importorskip("github_action_utils")  # asks for Python 3.11

MANY = [saved_tensor_modified(), simple("50% of\n`w`: a, b"), simple(row=9)]


def command(finding: Finding) -> str:
    """The workflow command that another implementation writes for a finding."""
    place, stream = finding.place, io.StringIO()
    write = {
        Severity.ERROR: github_action_utils.error,
        Severity.WARNING: github_action_utils.warning,
    }
    with redirect_stdout(stream):
        write[finding.severity](
            f"{in_full(finding)}\n{finding.url}",
            title=f"autograd-lint ({finding.code})",
            file=place.filename,
            line=place.row,
            end_line=place.end_row,
            col=place.column,
            end_column=place.end_column,
        )
    return stream.getvalue().strip()


def parts(line: str) -> tuple[str, set[str], str]:
    """The command, properties in any order, and message of a workflow command."""
    head, message = line.removeprefix("::").split("::", 1)
    name, _, properties = head.partition(" ")
    return name, set(properties.split(",")), message


def test_github_takes_the_commands_that_its_users_write() -> None:
    warning = replace(simple("x"), severity=Severity.WARNING)
    for finding in (*MANY, warning):
        assert parts(github.findings([finding])) == parts(command(finding))


def test_github_takes_columns_within_a_line_only() -> None:
    finding = replace(simple(), place=Place("/a.py", 3, 1, 4, 2))
    assert "col=" not in github.findings([finding]).casefold()


def test_junit_is_read_by_its_parser() -> None:
    report = JUnitXml.fromstring(junit.findings(MANY).encode())
    assert (report.tests, report.failures, report.errors) == (3, 3, 0)
    cases = [case for suite in report for case in suite]
    assert [case.result[0].type for case in cases] == ["error"] * 3
    assert len({(case.classname, case.name) for case in cases}) == 3


def test_gitlab_has_what_its_widget_requires(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "cwd", lambda: Path("/project"))
    records = json.loads(gitlab.findings([*MANY, *MANY]))
    jsonschema.validate(records, GITLAB)
    assert len({record["fingerprint"] for record in records}) == 6


def test_rdjson_has_what_its_readers_know() -> None:
    document = json.loads(rdjson.findings(MANY, lambda name: TRAIN.split("\n")))
    jsonschema.validate(document, RDJSON)
    assert "suggestions" in document["diagnostics"][0]


def test_rdjson_suggests_a_fix_as_a_whole() -> None:
    text = ["a = f(x)", "keep", "c = f(é, z)"]
    edits = (
        Edit("y", Place("/project/a.py", 1, 7, 1, 8)),
        Edit("g", Place("/project/a.py", 3, 5, 3, 6)),
        Edit("", Place("/project/a.py", 3, 8, 3, 11)),
    )
    finding = replace(simple(), fix=Fix("safe", "mend", edits))
    document = json.loads(rdjson.findings([finding], lambda name: text))
    (suggestion,) = document["diagnostics"][0]["suggestions"]
    assert suggestion["text"] == "y)\nkeep\nc = g(é"
    assert suggestion["range"] == {
        "start": {"line": 1, "column": 7},
        "end": {"line": 3, "column": 12},
    }


def test_rdjson_counts_bytes_in_columns() -> None:
    place = Place("/project/a.py", 1, 9, 1, 11)
    document = json.loads(
        rdjson.findings([replace(simple(), place=place)], lambda n: ['s = "é"; 日本'])
    )
    where = document["diagnostics"][0]["location"]["range"]
    assert where == {"start": {"line": 1, "column": 10}, "end": {"line": 1, "column": 14}}
