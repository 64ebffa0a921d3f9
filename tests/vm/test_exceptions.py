"""What handlers hide, and what they do not."""

import pytest

from tests.vm.running import kinds

PROGRAM = """
import logging, sys
x = torch.ones(3, requires_grad=True)
try:
    y = x.exp()
    y += 1
    y.sum().backward()
except {handler}
"""
CATCHING = ["Exception as e:\n    print(e)", "RuntimeError:\n    y = None"]
PASSING_ON = [
    "ValueError:\n    pass",
    "Exception as e:\n    logging.error(e)\n    raise e",
    "RuntimeError:\n    raise",
    "RuntimeError as e:\n    print(e)\n    sys.exit(1)",
    "Exception as e:\n    if e.args:\n        raise\n    else:\n        exit()",
]


@pytest.mark.parametrize("handler", CATCHING)
def test_an_error_that_is_caught_is_no_finding(handler: str) -> None:
    assert kinds(PROGRAM.format(handler=handler)) == []


@pytest.mark.parametrize("handler", PASSING_ON)
def test_an_error_that_is_passed_on_is_one(handler: str) -> None:
    assert kinds(PROGRAM.format(handler=handler)) == ["saved-tensor-modified"]
