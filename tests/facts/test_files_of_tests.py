"""Which files hold tests."""

import pytest

from autograd_lint.facts.files_of_tests import holds_tests, is_test
from autograd_lint.project.source import Source

ASSERTS = "def test_net():\n    assert run()\n"
SMOKE = "def test_net():\n    run()\n"
NEEDS = "def test(config):\n    assert run(config)\n"
MAIN = '\n\nif __name__ == "__main__":\n    test_net()\n'


@pytest.mark.parametrize(
    "text",
    [
        ASSERTS,
        ASSERTS + MAIN,
        SMOKE,
        "@pytest.mark.slow\ndef test_net(config):\n    run(config)\n",
        "import pytest\n" + NEEDS,
        "class TestNet:\n    def test_it(self):\n        run()\n",
        "def test_net():\n    torch.testing.assert_close(run(), 1)\n" + MAIN,
    ],
)
def test_what_a_runner_can_call_is_a_test(text: str) -> None:
    source = Source("test_net.py", text)
    assert is_test(source) and holds_tests(source)


@pytest.mark.parametrize("text", [NEEDS, SMOKE + MAIN, "run()\n", "def check():\n    run()\n"])
def test_a_program_that_tests_a_model_is_no_test_of_it(text: str) -> None:
    source = Source("test_net.py", text)
    assert not is_test(source) and not holds_tests(source)


def test_what_lies_in_a_folder_of_tests_belongs_to_them() -> None:
    assert is_test(Source("tests/helpers.py", "run()\n"))


def test_fixtures_may_give_what_a_test_in_such_a_folder_needs() -> None:
    assert holds_tests(Source("tests/test_net.py", NEEDS))
