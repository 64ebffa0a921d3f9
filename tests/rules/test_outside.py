"""Projects whose data and models come from outside: mistakes are told, corrections are quiet.

Nothing is known of what packages and files give: what each function is given has to be found out by
what the program does with it.
"""

from pathlib import Path

import pytest

from autograd_lint import check
from tests.rules.projects import OUTSIDE, Example, examples

EXAMPLES = examples(OUTSIDE)


@pytest.fixture(params=EXAMPLES, ids=lambda one: one.name)
def example(request: pytest.FixtureRequest) -> Example:
    found = request.param
    assert isinstance(found, Example)
    return found


def codes(folder: Path) -> set[str]:
    """What is told of a project with the usual settings."""
    return {finding.code for finding in check(folder, isolated=True, cache=False)}


def test_a_mistake_is_told(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path, "bad")
    assert example.code in codes(tmp_path)


def test_its_correction_is_quiet(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path, "good")
    assert codes(tmp_path) == set()
