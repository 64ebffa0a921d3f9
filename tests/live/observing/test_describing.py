"""Values of a running program, described."""

from collections import OrderedDict, namedtuple

import numpy as np
import pytest
import torch
from torch import nn

from autograd_lint.live.observing.describing import arguments, described, own
from autograd_lint.observed.values import Named, Object, Plain, Sequenced, Tensor, Value

LEAF = torch.ones(2, 3, requires_grad=True)
PLAIN = Tensor("float32", leaf=True)
Pair = namedtuple("Pair", "left right")


class Evil:
    """Whoever asks it for anything changes the program."""

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(name)


class Bag(dict[str, object]):
    def items(self) -> object:  # type: ignore[override]
        raise AssertionError


@pytest.mark.parametrize(
    ("value", "description"),
    [
        (None, Plain("none")),
        (True, Plain("true")),
        (3, Plain("int")),
        (2.5, Plain("number")),
        (np.float64(2.5), Plain("number")),
        ("secret", Plain("text")),
        (np.zeros(3), Plain("array")),
        (LEAF, Tensor("float32", requires_grad=True, leaf=True)),
        (LEAF.sigmoid(), Tensor("float32", requires_grad=True, leaf=False, made_by="sigmoid")),
        (torch.zeros(2, dtype=torch.int64), Tensor("int64", leaf=True)),
        (
            nn.Parameter(torch.ones(2)),
            Tensor("float32", requires_grad=True, leaf=True, parameter=True),
        ),
        ([torch.ones(2), None], Sequenced("list", (PLAIN, Plain("none")))),
        (Pair(1, "a"), Sequenced("tuple", (Plain("int"), Plain("text")))),
        (range(3), Plain("other")),
        (nn.Linear(1, 1), Object("torch.nn.modules.linear.Linear", module=True)),
        (OrderedDict(x=torch.ones(2)), Named((("x", PLAIN),))),
        (Bag(x=1), Named((("x", Plain("int")),))),
        ({"a name": 1, "name": 2}, Named((("name", Plain("int")),), more=True)),
    ],
)
def test_a_value_is_described_by_its_kind(value: object, description: Value) -> None:
    assert described(value, {}) == description


def test_nothing_of_the_program_runs_for_it() -> None:
    assert described(Evil(), {}) == Object(f"{__name__}.Evil")
    assert own(Evil()) == Named(())


def test_containers_are_bounded() -> None:
    found = described([1] * 1000, {})
    assert isinstance(found, Sequenced)
    assert (len(found.items), found.more) == (8, True)


def test_containers_that_hold_themselves_end() -> None:
    value: list[object] = []
    value.append(value)
    assert isinstance(described(value, {}), Sequenced)


def test_an_argument_that_shares_memory_is_a_view_of_the_earlier_one() -> None:
    x = torch.ones(4)
    found = arguments({"x": x, "y": x[:2], "z": torch.ones(2)})
    assert [getattr(found.get(name), "view_of", None) for name in "xyz"] == ["", "x", ""]


def test_of_an_object_what_autograd_may_go_by_is_kept() -> None:
    class State:
        def __init__(self) -> None:
            self.hidden, self.count, self.on, self.log = torch.ones(2), 3, False, ["text"]

    assert own(State()) == Named((("hidden", PLAIN), ("on", Plain("false"))))


def test_of_a_module_what_it_registers_is_left_out() -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer, self.state = nn.Linear(1, 1), torch.ones(2)
            self.register_buffer("mean", torch.ones(2))

    assert own(Net()) == Named((("state", PLAIN), ("training", Plain("true"))))
