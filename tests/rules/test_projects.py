"""Mistakes in small projects are told, and their corrections are quiet.

They lie across files, or in what is done with data and models from outside: nothing is known of
what packages and files give, which has to be found out by what is done with it.
"""

from pathlib import Path

import pytest

from autograd_lint import check
from tests.rules.projects import OUTSIDE, Example, examples

RUN = examples()
EXAMPLES = [*RUN, *examples(OUTSIDE)]
# Told as possible: published code has shown the rule wrong more often than right.
UNSURE = {"gradients-left-in-the-judge"}


@pytest.fixture(params=EXAMPLES, ids=lambda one: one.name)
def example(request: pytest.FixtureRequest) -> Example:
    found = request.param
    assert isinstance(found, Example)
    return found


def codes(folder: Path, certainty: str = "likely") -> set[str]:
    """What is told of a project, with the usual settings where nothing else is said."""
    found = check(folder, isolated=True, cache=False, certainty=certainty)
    return {finding.code for finding in found}


def test_a_mistake_is_told(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path, "bad")
    certainty = "possible" if example.name in UNSURE else "likely"
    assert example.code in codes(tmp_path, certainty)


def test_its_correction_is_quiet(example: Example, tmp_path: Path) -> None:
    example.write(tmp_path, "good")
    assert codes(tmp_path) == set()


@pytest.mark.parametrize("example", RUN, ids=lambda one: one.name)
@pytest.mark.parametrize(("kind", "said"), [("bad", "HARM"), ("good", "CLEAN")])
def test_the_mistake_does_harm_on_torch_and_its_correction_none(
    example: Example,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    kind: str,
    said: str,
) -> None:
    example.write(tmp_path, kind)
    example.run(tmp_path, kind)
    assert capsys.readouterr().out.splitlines()[-1].split()[0] == said
