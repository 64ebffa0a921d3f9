"""Writes that the version counter does not see matter by the values they leave."""

import pytest

from tests.vm.running import certain, kinds

PROGRAM = """
x = torch.{made}(3, requires_grad=True)
loss = (x * x.sigmoid()).sum()
{write}
loss.backward()
"""
KEEPING = ["x.data.clamp_(0, 1)", "x.data.abs_()", "x.data.relu_()"]
SETTING = [
    *("x.data.fill_(1)", "x.data[...] = 1", "x.detach().numpy()[...] = 1.0"),
    "torch.from_numpy(x.detach().numpy()).fill_(1)",
]


@pytest.mark.parametrize("write", KEEPING)
def test_a_projection_may_change_nothing(write: str) -> None:
    program = PROGRAM.format(made="rand", write=write)
    assert (kinds(program), certain(program)) == (["saved-tensor-modified"], [])


@pytest.mark.parametrize("write", SETTING)
@pytest.mark.parametrize(("made", "sure"), [("ones", False), ("rand", True)])
def test_numbers_may_be_written_that_are_there(write: str, made: str, sure: bool) -> None:
    program = PROGRAM.format(made=made, write=write)
    assert kinds(program) == ["saved-tensor-modified"]
    assert bool(certain(program)) is sure


def test_numbers_are_no_longer_there_after_another_write() -> None:
    program = PROGRAM.format(made="ones", write="x.data.add_(1); x.data.fill_(1)")
    assert certain(program) == ["saved-tensor-modified"]


def test_the_counter_tells_of_a_write_that_changes_nothing() -> None:
    program = "h = torch.rand(3, requires_grad=True).sigmoid()\nh.clamp_(0, 1)\nh.sum().backward()"
    assert certain(program) == ["saved-tensor-modified"]


PUT_BACK = """
w, x = torch.rand(3, requires_grad=True), torch.rand(3)
loss = (w * w * x).sum()
old = w.data
w.data = torch.rand(3)
{away}
w.data = {given}
loss.backward()
"""


@pytest.mark.parametrize(
    ("away", "given", "sure"),
    [
        ("pass", "old", False),
        ("w.data = torch.rand(3)", "old", False),
        ("old.add_(1)", "old", True),
        ("loss = (w * w * x).sum()", "old", True),
        ("old = w.data; w.data = torch.rand(3)", "old", True),
        ("pass", "torch.rand(3)", True),
    ],
)
def test_memory_that_a_tensor_gets_back(away: str, given: str, sure: bool) -> None:
    program = PUT_BACK.format(away=away, given=given)
    assert certain(program) == (["saved-tensor-modified"] if sure else [])


def test_who_looks_at_the_memory_of_a_tensor_keeps_it() -> None:
    program = """
w, x = torch.rand(3), torch.rand(3, requires_grad=True)
loss = (w.data * x).sum()
w.data = torch.rand(3)
loss.backward()
"""
    assert kinds(program) == []
