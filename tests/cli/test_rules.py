"""The commands that tell what the tool knows."""

import json

import pytest
from click.testing import CliRunner, Result

from autograd_lint.cli import app
from autograd_lint.errors import Trouble


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(app, arguments, standalone_mode=False)


def test_rules_lists_a_line_for_each() -> None:
    lines = invoke("rules").stdout.splitlines()
    codes = [line.split()[0] for line in lines]
    assert codes == sorted(codes)
    assert {"AG101", "AG103", "AG901"} <= set(codes)


def test_rules_as_json_has_the_pages() -> None:
    records = json.loads(invoke("rules", "--output-format", "json").stdout)
    by_name = {record["name"]: record for record in records}
    assert by_name["saved-tensor-modified"]["code"] == "AG103"
    assert "## What it does" in by_name["saved-tensor-modified"]["documentation"]


@pytest.mark.parametrize("wanted", ["AG103", "ag103", "saved-tensor-modified"])
def test_explain_shows_the_page(wanted: str) -> None:
    page = invoke("explain", wanted).stdout
    assert page.startswith("# saved-tensor-modified (AG103)\n")
    assert "## Why it is bad" in page


def test_explain_as_json() -> None:
    record = json.loads(invoke("explain", "AG103", "--output-format", "json").stdout)
    assert record["severity"] == "error"


def test_explain_an_unknown_rule_is_one_line() -> None:
    result = invoke("explain", "AG1033")
    assert isinstance(result.exception, Trouble)
    assert str(result.exception) == "unknown rule `AG1033`; did you mean `AG103`?"


def test_explain_of_a_message_tells_what_it_means() -> None:
    page = invoke("explain", "element 0 of tensors does not require grad").stdout
    assert page.startswith("# no-grad-root\n")
    assert "## Usual causes" in page
    assert "AG301 no-grad-root" in page


def test_explain_of_a_message_as_json() -> None:
    message = "RuntimeError: a leaf Variable that requires grad is being used in an in-place"
    record = json.loads(invoke("explain", message, "--output-format", "json").stdout)
    assert record["error"] == "leaf-modified"
    assert "AG101" in record["rules"]


def test_explain_of_another_message_is_one_line() -> None:
    result = invoke("explain", "division by zero")
    assert isinstance(result.exception, Trouble)
    assert "not a known message of autograd" in str(result.exception)
