"""The reference of commands and configuration, and the schema of configuration files."""

import json
from pathlib import Path

import jsonschema
import pytest

from autograd_lint.cli import errors_page, reference

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_is_what_the_commands_say() -> None:
    assert (DOCS / reference.PAGE).read_text(encoding="utf-8") == reference.page()


def test_the_schema_is_what_the_keys_say() -> None:
    assert (DOCS / reference.SCHEMA).read_text(encoding="utf-8") == reference.schema()


def test_the_page_of_errors_is_what_diagnoses_say() -> None:
    assert (DOCS / errors_page.PAGE).read_text(encoding="utf-8") == errors_page.page()


def test_every_message_on_the_page_is_about_something_of_its_own() -> None:
    topics = [errors_page.topic_of(message).name for message in errors_page.MESSAGES]
    assert "other" not in topics
    assert len(set(topics)) > 20


@pytest.mark.parametrize(
    ("document", "valid"),
    [
        ({}, True),
        ({"select": ["AG1"], "severity": {"AG1": "info"}, "fail-on": "never"}, True),
        ({"selct": []}, False),
        ({"certainty": "sure"}, False),
        ({"target-torch": "2"}, False),
    ],
)
def test_the_schema_takes_what_is_read(document: object, valid: bool) -> None:
    validator = jsonschema.Draft7Validator(json.loads(reference.schema()))
    assert validator.is_valid(document) is valid
