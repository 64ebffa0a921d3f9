"""An argument that is given the value it has anyway changes nothing."""

import pytest

from tests.vm.running import certain

WRITTEN = """
x = torch.rand(1, 4, requires_grad=True) * 2
y = nn.functional.pad(x, (1, 1){mode})
x.mul_(2)
y.sum().backward()
"""


@pytest.mark.parametrize("mode", [", 'constant'", ", mode='constant', value=1.0", ""])
def test_padding_with_a_constant_keeps_nothing(mode: str) -> None:
    assert certain(WRITTEN.format(mode=mode)) == []


def test_padding_by_reflection_keeps_what_is_padded() -> None:
    assert certain(WRITTEN.format(mode=", mode='reflect'")) == ["saved-tensor-modified"]


def test_the_default_norm_keeps_its_result_when_it_is_named() -> None:
    program = "n = torch.linalg.matrix_norm(torch.rand(2, 2, requires_grad=True), 'fro')\n"
    assert certain(program + "n.mul_(2)\nn.backward()\n") == ["saved-tensor-modified"]
