"""Which rules are wanted."""

import pytest

from autograd_lint.configuration.selection import Selection, require_known
from autograd_lint.errors import Trouble

KNOWN = {"AG101": "leaf-modified", "AG103": "saved-tensor-modified", "AG901": "parse-error"}


@pytest.mark.parametrize(
    ("selection", "allowed"),
    [
        (Selection(), True),
        (Selection(("AG103",)), True),
        (Selection(("AG1",)), True),
        (Selection(("AG",)), True),
        (Selection(("ALL",)), True),
        (Selection(("saved-tensor-modified",)), True),
        (Selection(("AG2",)), False),
        (Selection(("leaf-modified",)), False),
        (Selection(ignore=("AG103",)), False),
        (Selection(ignore=("AG1",)), False),
        (Selection(ignore=("ALL",)), False),
        (Selection(("AG103",), ("AG103",)), False),
        (Selection(("AG103",), ("AG1",)), True),
        (Selection(("AG1",), ("AG103",)), False),
        (Selection(("AG1",), ("saved-tensor-modified",)), False),
        (Selection(("AG2",), extend_select=("AG103",)), True),
        (Selection(extend_select=("AG2",)), True),
    ],
)
def test_the_closest_selector_decides(selection: Selection, allowed: bool) -> None:
    assert selection.allows("AG103", "saved-tensor-modified") is allowed


@pytest.mark.parametrize(
    ("selection", "allowed"),
    [
        (Selection(), False),
        (Selection(extend_select=("AG103",)), True),
        (Selection(("AG1",)), True),
        (Selection(extend_select=("AG2",)), False),
    ],
)
def test_a_rule_off_by_default_must_be_selected(selection: Selection, allowed: bool) -> None:
    assert selection.allows("AG103", "saved-tensor-modified", on_by_default=False) is allowed


def test_a_file_that_cannot_be_parsed_is_shown_unless_ignored() -> None:
    assert Selection(("AG1",)).allows("AG901", "parse-error")
    assert not Selection(ignore=("AG901",)).allows("AG901", "parse-error")


def test_known_selectors_are_fine() -> None:
    require_known(["AG101", "AG1", "ALL", "leaf-modified"], KNOWN, "command line")


@pytest.mark.parametrize(
    ("selector", "line"),
    [
        ("AG9011", "unknown rule `AG9011`; did you mean `AG901`?"),
        ("ag1", "unknown rule `ag1`; did you mean `AG1`?"),
        ("leaf-modifed", "unknown rule `leaf-modifed`; did you mean `leaf-modified`?"),
        ("E501", "unknown rule `E501`; `autograd-lint rules` lists them all"),
    ],
)
def test_an_unknown_selector_is_one_line_with_what_was_meant(selector: str, line: str) -> None:
    with pytest.raises(Trouble) as raised:
        require_known(["AG1", selector], KNOWN, "command line")
    assert str(raised.value) == f"command line: {line}"
