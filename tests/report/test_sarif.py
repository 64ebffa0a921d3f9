"""Findings as SARIF, against the published schema and GitHub's limits."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tests.report.examples import TRAIN, saved_tensor_modified, simple

from autograd_lint import addresses
from autograd_lint.findings import Certainty, Finding, Severity
from autograd_lint.places import Place
from autograd_lint.report import fingerprints, sarif
from autograd_lint.report.described import Described
from autograd_lint.rules.pages import described

SCHEMA = Path(__file__).parents[2] / "fixtures" / "schemas" / "sarif-2.1.0.json"
RULE = Described(
    "AG103",
    "saved-tensor-modified",
    "A saved tensor.",
    "## What it does\n\nIt\nsees.",
    Severity.ERROR,
)


def lines(name: str) -> list[str]:
    return TRAIN.split("\n")


def log(*found: Finding, rules: list[Described] | None = None) -> Any:
    return json.loads(sarif.findings(found, [RULE] if rules is None else rules, lines))


def run_of(*found: Finding) -> Any:
    (run,) = log(*found)["runs"]
    return run


@pytest.mark.parametrize(
    "found", [[], [simple()], [saved_tensor_modified(), simple("é 日本 <b>")]], ids=["0", "1", "2"]
)
def test_the_log_is_what_the_schema_says(found: list[Finding]) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.validate(log(*found, rules=described()), schema)


def test_the_schema_notices_what_is_wrong() -> None:
    wrong = log(simple())
    del wrong["runs"][0]["results"][0]["message"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(wrong, json.loads(SCHEMA.read_text(encoding="utf-8")))


def test_the_flow_goes_from_saving_over_writing_to_needing() -> None:
    (result,) = run_of(saved_tensor_modified())["results"]
    (flow,) = result["codeFlows"][0]["threadFlows"]
    regions = [one["location"]["physicalLocation"]["region"] for one in flow["locations"]]
    assert [region["startLine"] for region in regions] == [5, 7, 13]
    assert [one["executionOrder"] for one in flow["locations"]] == [1, 2, 3]


def test_rules_have_their_whole_page() -> None:
    run = run_of(saved_tensor_modified())
    assert run["columnKind"] == "unicodeCodePoints"
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("AG103", "A saved tensor.")
    assert rule["fullDescription"]["text"] == "It sees."
    assert rule["help"] == {"text": RULE.page, "markdown": RULE.page}
    assert run["results"][0]["ruleIndex"] == 0


def test_rules_say_where_they_are_documented_how_bad_and_how_precise() -> None:
    counted = replace(RULE, share_right=0.85)
    driver = log(rules=[counted, RULE])["runs"][0]["tool"]["driver"]
    first, second = driver["rules"]
    assert first["helpUri"] == addresses.of_rule("saved-tensor-modified")
    assert driver["informationUri"] == addresses.DOCUMENTATION
    assert first["properties"]["problem.severity"] == "error"
    assert first["properties"]["precision"] == "high"
    assert "precision" not in second["properties"]


def test_results_tell_reason_and_help() -> None:
    (result,) = run_of(saved_tensor_modified())["results"]
    assert "\nhelp: use `h = h.mul(2)`" in result["message"]["text"]


def test_every_rule_keeps_githubs_limits() -> None:
    (run,) = log(rules=described())["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert len(rules) > 50
    for rule in rules:
        assert len(rule["properties"]["tags"]) <= 20
        assert len(rule["id"]) <= 255
        assert len(rule["shortDescription"]["text"]) <= 1024
        assert len(rule["fullDescription"]["text"]) <= 1024


def test_the_most_certain_of_too_many_results_stay() -> None:
    likely = replace(simple(), certainty=Certainty.LIKELY)
    run = run_of(*[likely] * 25_001, simple("the last"))
    assert len(run["results"]) == 25_000
    assert run["results"][-1]["message"]["text"] == "the last"
    (told,) = run["invocations"][0]["toolExecutionNotifications"]
    assert told["message"]["text"].startswith("2 findings are left out")


def test_places_are_relative_to_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run = run_of(replace(simple(), place=Place(str(tmp_path / "a b" / "é.py"), 3, 1, 3, 7)))
    location = run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert location == {"uri": "a%20b/%C3%A9.py", "uriBaseId": "SRCROOT"}
    assert run["originalUriBaseIds"]["SRCROOT"]["uri"] == tmp_path.as_uri() + "/"


def test_it_carries_the_fix() -> None:
    (fix,) = run_of(saved_tensor_modified())["results"][0]["fixes"]
    (replacement,) = fix["artifactChanges"][0]["replacements"]
    assert replacement["insertedContent"] == {"text": "h = h.mul(2)"}


def test_fingerprints_stay_when_lines_move() -> None:
    found = saved_tensor_modified()
    moved = replace(found, place=replace(found.place, row=8, end_row=8))
    below = sarif.findings([moved], [RULE], lambda name: ["", *TRAIN.split("\n")])
    prints = [
        document["runs"][0]["results"][0]["partialFingerprints"]
        for document in (log(found), json.loads(below))
    ]
    assert prints[0] == prints[1] == {"primaryLocationLineHash": prints[0].popitem()[1]}


def test_a_file_that_is_gone_has_no_fingerprint() -> None:
    document = json.loads(sarif.findings([simple()], [RULE], lambda name: []))
    assert document["runs"][0]["results"][0]["partialFingerprints"] == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ["c129715d7a2bc9a3:1"]),
        (
            " a\nb\n  \t\tc\n d",
            ["271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"],
        ),
        (
            "alpha\nbeta\nalpha\n",
            [
                "8d07ce75f7b3af45:1",
                "ca140c3f893ffa65:1",
                "26f09ff008857193:1",
                "c129715d7a2bc9a3:1",
            ],
        ),
    ],
)
def test_fingerprints_are_those_of_githubs_upload(text: str, expected: list[str]) -> None:
    assert fingerprints.of_lines(text) == expected
    assert fingerprints.of_lines(text.replace("\n", "\r\n")) == expected


def test_equal_lines_with_equal_surroundings_are_counted() -> None:
    same = fingerprints.of_lines("x = 1\n" * 60)
    assert same[0].removesuffix(":1") == same[1].removesuffix(":2")
