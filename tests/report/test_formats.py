"""Findings for other programs."""

import io
import json
import re
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest
from tests.report.examples import TRAIN, saved_tensor_modified, simple

from autograd_lint import addresses
from autograd_lint.findings import Certainty, Confirmation
from autograd_lint.report import (
    concise,
    github,
    gitlab,
    html,
    junit,
    printer,
    rdjson,
    summary,
)
from autograd_lint.report import json as as_json

_PLACE = {
    "type": "object",
    "properties": {
        "row": {"type": "integer", "minimum": 1},
        "column": {"type": "integer", "minimum": 1},
    },
    "required": ["row", "column"],
    "additionalProperties": False,
}
_FIELDS: dict[str, Any] = {
    "code": {"type": "string"},
    "name": {"type": "string"},
    "message": {"type": "string"},
    "filename": {"type": "string"},
    "location": _PLACE,
    "end_location": _PLACE,
    "cell": {"type": ["integer", "null"]},
    "url": {"type": "string", "format": "uri"},
    "noqa_row": {"type": "integer", "minimum": 1},
    "fix": {
        "type": ["object", "null"],
        "required": ["applicability", "message", "edits"],
        "additionalProperties": False,
        "properties": {
            "applicability": {"enum": ["safe", "unsafe", "display"]},
            "message": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "required": ["content", "location", "end_location"],
                    "properties": {"location": _PLACE, "end_location": _PLACE},
                },
            },
        },
    },
    "severity": {"enum": ["error", "warning", "info"]},
    "certainty": {"enum": ["certain", "likely", "possible"]},
    "probability": {"type": "number", "minimum": 0, "maximum": 1},
    "assumptions": {
        "type": "array",
        "items": {
            "required": ["kind", "text", "probability"],
            "additionalProperties": False,
            "properties": {
                "kind": {"type": "string"},
                "text": {"type": "string"},
                "probability": {"type": "number", "minimum": 0, "maximum": 1},
            },
        },
    },
    "signals": {"type": "array", "items": {"type": "string"}},
    "reason": {"type": "string"},
    "help": {"type": "string"},
    "related": {
        "type": "array",
        "items": {
            "required": ["role", "message", "filename", "location", "end_location"],
            "properties": {
                "role": {"enum": ["saved", "modified", "freed", "built", "needed"]},
                "location": _PLACE,
                "end_location": _PLACE,
            },
        },
    },
    "predicts": {"type": ["object", "null"], "required": ["error", "filename", "row"]},
    "confirmation": {
        "type": ["object", "null"],
        "required": ["verdict", "device", "torch", "error", "row", "witness", "reason"],
    },
}
PAGE = addresses.of_rule("leaf-modified")
SCHEMA = {
    "type": "array",
    "items": {
        "type": "object",
        "properties": _FIELDS,
        "required": list(_FIELDS),
        "additionalProperties": False,
    },
}


def written(lines: Any) -> str:
    stream = io.StringIO()
    printer.write(lines, stream, colour=False)
    return stream.getvalue()


def lines(name: str) -> list[str]:
    return TRAIN.split("\n")


def test_json_has_exactly_the_promised_fields() -> None:
    tried = replace(simple(), confirmation=Confirmation("confirmed", torch="2.13.0", row=3))
    document = json.loads(as_json.findings([saved_tensor_modified(), simple(), tried]))
    jsonschema.validate(document, SCHEMA)


def test_json_fields_come_in_the_promised_order() -> None:
    assert list(as_json.record(simple())) == list(_FIELDS)


def test_json_of_a_finding() -> None:
    record = as_json.record(saved_tensor_modified())
    assert record["location"] == {"row": 7, "column": 5}
    assert record["end_location"] == {"row": 7, "column": 14}
    assert record["predicts"] == {
        "error": "saved-tensor-modified",
        "filename": "/project/train.py",
        "row": 13,
    }
    assert [other["role"] for other in record["related"]] == ["saved", "needed"]
    assert record["fix"]["edits"][0]["content"] == "h = h.mul(2)"


def test_json_of_nothing_is_an_empty_array() -> None:
    assert as_json.findings([]) == "[]"


def test_concise_is_one_line() -> None:
    line = f"/project/a.py:3:1: AG101 a leaf is modified ({PAGE})\n"
    assert written(concise.findings([simple()])) == line


def test_github_annotates_a_line() -> None:
    assert github.findings([simple("50% of\n`w`")]) == (
        "::error title=autograd-lint (AG101),file=/project/a.py,line=3,endLine=3,col=1,endColumn=7"
        f"::50%25 of%0A`w`%0A{PAGE}"
    )


def test_gitlab_has_a_fingerprint_of_its_own_for_each() -> None:
    records = json.loads(gitlab.findings([simple(), simple(row=4), simple("other")]))
    assert len({record["fingerprint"] for record in records}) == 3
    assert records[0]["location"] == {"path": "/project/a.py", "lines": {"begin": 3, "end": 3}}


def test_gitlab_fingerprints_stay_when_lines_move() -> None:
    here, moved = (json.loads(gitlab.findings([simple(row=row)]))[0] for row in (3, 9))
    assert here["fingerprint"] == moved["fingerprint"]


def test_rdjson_has_ranges_related_places_and_suggestions() -> None:
    document = json.loads(rdjson.findings([saved_tensor_modified()], lines))
    (diagnostic,) = document["diagnostics"]
    where = {"start": {"line": 7, "column": 5}, "end": {"line": 7, "column": 14}}
    assert diagnostic["location"] == {"path": "/project/train.py", "range": where}
    assert diagnostic["suggestions"] == [{"range": where, "text": "h = h.mul(2)"}]
    assert len(diagnostic["related_locations"]) == 2


NOTES = ("needs the values as they were", "`x` requires grad", "use `h = h.mul(2)`")


@pytest.mark.parametrize(
    "document",
    [
        as_json.findings([saved_tensor_modified()]),
        github.findings([saved_tensor_modified()]),
        gitlab.findings([saved_tensor_modified()]),
        junit.findings([saved_tensor_modified()]),
        rdjson.findings([saved_tensor_modified()], lines),
        re.sub("</?code>", "`", html.findings([saved_tensor_modified()], lines)),
    ],
    ids=["json", "github", "gitlab", "junit", "rdjson", "html"],
)
def test_reason_assumptions_help_and_page_are_told(document: str) -> None:
    assert all(note in document for note in NOTES)
    assert addresses.of_rule("saved-tensor-modified") in document


def test_every_finding_has_a_probability() -> None:
    found = [simple(), saved_tensor_modified()]
    assert [as_json.record(one)["probability"] for one in found] == [1.0, 0.84]


def test_html_tells_each_place_once_in_what_is_not_folded() -> None:
    page = html.findings([saved_tensor_modified()], lines)
    shown = page.partition("<details><summary>life")[0].partition("<article")[2]
    assert all(shown.count(label) == 1 for label in ("saves its result here", "needs it here"))
    assert '7 | </span>    h.mul_(2)\n<span class="gutter">' in shown


def test_html_can_be_filtered_by_rule_and_file() -> None:
    page = html.findings([saved_tensor_modified(), simple(), simple(row=5)], lines)
    assert '<option value="AG103">AG103 saved-tensor-modified</option>' in page
    assert page.count('data-file="/project/a.py"') == 2
    assert '<a href="/project/a.py#L5">/project/a.py:5:1</a>' in page


def test_html_of_nothing_has_no_index() -> None:
    assert "<form" not in html.findings([], lines)


def test_html_shows_code_in_sentences_as_code() -> None:
    page = html.findings([saved_tensor_modified()], lines)
    assert "<code>h</code> is modified in place after <code>sigmoid</code> saved it" in page


def test_html_escapes_what_the_code_says() -> None:
    found = [simple("`<script>`")]
    page = html.findings(found, lambda name: ["", "", "<b>&amp;"])
    assert page.count("<script>") == 1  # the page's own
    assert "&lt;b&gt;&amp;amp;" in page


def test_junit_has_a_suite_for_each_file() -> None:
    root = ElementTree.fromstring(
        junit.findings([simple(), simple("\x00"), saved_tensor_modified()])
    )
    assert [suite.get("name") for suite in root] == ["/project/a.py", "/project/train.py"]
    assert root.get("failures") == "3"
    names = [case.get("name", "").split(" ")[-1] for case in root.iter("testcase")]
    assert names == ["3:1", "3:1", "7:5"]


def test_junit_of_nothing_is_one_test_that_passed() -> None:
    root = ElementTree.fromstring(junit.findings([]))
    assert (root.get("tests"), root.get("failures")) == ("1", "0")


@pytest.mark.parametrize(
    ("found", "line"),
    [
        ([], "No findings."),
        ([simple()], "Found 1 finding (1 certain) in 1 file."),
        (
            [simple(), simple(), saved_tensor_modified()],
            "Found 3 findings (2 certain, 1 likely) in 2 files.",
        ),
    ],
)
def test_the_last_line_counts(found: Any, line: str) -> None:
    assert summary.summary(found) == line


def test_what_the_baseline_knows_is_not_called_nothing() -> None:
    assert summary.summary([], known=3) == "No findings besides 3 in the baseline."


def test_the_last_lines_say_what_the_real_engine_said() -> None:
    verdicts = ("confirmed", "confirmed", "undecided")
    found = [replace(simple(), confirmation=Confirmation(verdict)) for verdict in verdicts]
    assert list(summary.closing(found, refuted=4))[1:] == [
        "On the real engine: 2 confirmed, 1 undecided, 4 refuted and left out."
    ]


def test_statistics_count_by_rule_the_most_frequent_first() -> None:
    found = [saved_tensor_modified(), *[simple()] * 10]
    assert written(summary.statistics(found)) == (
        "10  AG101  leaf-modified\n 1  AG103  saved-tensor-modified\n"
    )


@pytest.mark.parametrize(
    ("choice", "environment", "expected"),
    [
        ("always", {}, True),
        ("always", {"NO_COLOR": "1"}, True),
        ("never", {"FORCE_COLOR": "1"}, False),
        ("auto", {}, False),
        ("auto", {"FORCE_COLOR": "1"}, True),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_when_to_colour(
    choice: str, environment: dict[str, str], expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert printer.wants_colour(choice, io.StringIO()) is expected


def test_colour_changes_no_text() -> None:
    from autograd_lint.report import text

    stream = io.StringIO()
    lines = list(text.findings([saved_tensor_modified()], lambda name: TRAIN.split("\n")))
    printer.write(lines, stream, colour=True)
    coloured = stream.getvalue()
    assert "\x1b[1;31m" in coloured
    codes = r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\"
    assert re.sub(codes, "", coloured).replace(" \n", "\n") == written(lines)


def test_in_colour_the_code_is_a_link_to_its_page() -> None:
    stream = io.StringIO()
    printer.write(concise.findings([simple()]), stream, colour=True)
    assert re.search(rf"\x1b\]8;[^;]*;{PAGE}\x1b\\[^A]*AG101", stream.getvalue())


def test_certainty_is_ordered() -> None:
    assert Certainty.CERTAIN.at_least(Certainty.LIKELY)
    assert not Certainty.POSSIBLE.at_least(Certainty.LIKELY)
