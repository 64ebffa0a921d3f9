"""The editor's settings as they are read."""

import pytest

from autograd_lint.errors import Trouble
from autograd_lint.server.preferences import Preferences, read

SECTION = {"select": ["AG1"], "extend-select": ["AG3"], "certainty": "possible", "run": "save"}
READ = Preferences(run="save", select=("AG1",), extend_select=("AG3",), certainty="possible")


@pytest.mark.parametrize(
    "value", [SECTION, {"autograd-lint": SECTION}, {"settings": {"autograd-lint": SECTION}}]
)
def test_the_section_may_be_wrapped(value: object) -> None:
    assert read(value) == READ


@pytest.mark.parametrize("value", [None, {}, [], "text", {"config": "", "certainty": None}])
def test_nothing_is_the_default(value: object) -> None:
    assert read(value) == Preferences()


@pytest.mark.parametrize(
    ("section", "trouble"),
    [
        ({"selct": []}, "unknown key `selct`; known keys: certainty, config, enable, ext"),
        ({"select": "AG1"}, '`select` must be a list of strings, as ["AG103"]'),
        ({"certainty": "sure"}, "`certainty` must be one of certain, likely, possible"),
        ({"target-torch": "two"}, '`target-torch` must be a version like "2.13"'),
        ({"run": "never"}, "`run` must be one of type, save"),
        ({"enable": 1}, "`enable` must be true or false"),
        ({"config": 1}, "`config` must be the path of a configuration file"),
    ],
)
def test_what_is_wrong_is_said(section: object, trouble: str) -> None:
    with pytest.raises(Trouble) as raised:
        read(section)
    assert str(raised.value).startswith(f"editor settings: {trouble}")
