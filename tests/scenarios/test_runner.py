"""Tests, as a runner runs them."""

from tests.vm.running import certain, kinds

CASE = """
import unittest

class TestIt(unittest.TestCase):
    def setUp(self):
        self.x = torch.ones(3, requires_grad=True)

    def test_first(self):
        torch.set_grad_enabled(False)
        self.x.data = torch.zeros(3)

    {mark}
    def test_second(self):
        y = self.x.exp()
        y.add_(1)
        y.sum().backward()
"""


def test_each_test_has_an_object_and_a_mode_of_its_own() -> None:
    assert certain(CASE.format(mark="")) == ["saved-tensor-modified"]


def test_a_test_that_is_expected_to_fail_is_left_out() -> None:
    assert kinds(CASE.format(mark="@unittest.expectedFailure")) == []


def test_a_function_that_is_expected_to_fail_is_left_out() -> None:
    text = "import pytest\n@pytest.mark.xfail\ndef test_it():\n"
    body = "    x = torch.ones(3, requires_grad=True)\n    x.add_(1)\n"
    assert kinds(text + body) == []
