"""Updates of parameters in a loop of which nothing is left but a name."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows
from tests.vm.running import kinds

LOST = Pitfall.PARAMETER_REBOUND


@pytest.mark.parametrize(
    "update",
    [
        "p = p * 0.9",
        "p = p.lerp(torch.zeros(()), 0.1)",
        "p = torch.clamp(p, -1, 1)",
        "p = p.data * 0.9",
        "p = torch.zeros(3)",
    ],
)
def test_an_update_that_only_binds_the_name_of_a_loop_is_lost(update: str) -> None:
    assert rows(f"for p in model.parameters():\n    {update}\n", LOST) == [2]


@pytest.mark.parametrize("decorator", ["", "@torch.no_grad()"])
def test_an_average_of_two_models_that_are_given_is_lost(decorator: str) -> None:
    program = (
        f"{decorator}\ndef update(average, model):\n"
        "    for p, q in zip(average.parameters(), model.parameters()):\n"
        "        p = 0.9 * p + 0.1 * q\n"
    )
    assert rows(program, LOST) == [4]


@pytest.mark.parametrize(
    "body",
    [
        "p = p * 0.9; total = total + p.sum()",
        "p = p * 0.9; kept.append(p)",
        "p = p.view(-1)",
        "p *= 0.9",
        "q = p * 0.9",
        "p.data = p.data * 0.9",
        "p = nn.init.zeros_(p)",
    ],
)
def test_a_name_that_is_read_again_or_means_the_same_parameter_is_not_lost(body: str) -> None:
    program = (
        "total, kept = 0, []\n"
        "with torch.no_grad():\n"
        "    for p in model.parameters():\n"
        f"        {body}\n"
    )
    assert rows(program, LOST) == []


def test_a_name_that_a_later_round_of_an_inner_loop_reads_is_not_lost() -> None:
    program = (
        "for p in model.parameters():\n"
        "    for _ in range(3):\n"
        "        print(p.norm())\n"
        "        p = p * 0.9\n"
    )
    assert rows(program, LOST) == []


def test_a_name_that_is_read_behind_the_loop_is_not_lost() -> None:
    program = "for p in model.parameters():\n    p = torch.zeros(3)\nprint(p)\n"
    assert rows(program, LOST) == []


def test_a_name_that_another_function_reads_is_lost() -> None:
    program = (
        "def reset(model):\n"
        "    for p in model.parameters():\n"
        "        p = torch.zeros(3)\n"
        "reset(model)\n"
        "def show(p):\n"
        "    print(p)\n"
    )
    assert rows(program, LOST) == [3]


STATES = """
average, model = nn.Linear(2, 1), nn.Linear(2, 1)

def update(average, model):
    state, other = average.state_dict(), model.state_dict()
    for name in state:
        state[name] = 0.9 * state[name] + 0.1 * other[name]
    {after}

update(average, model)
average(torch.ones(2)).sum().backward()
"""


def test_an_entry_of_a_state_that_nothing_loads_is_told() -> None:
    assert kinds(STATES.format(after="pass")) == ["parameter-rebound"]


@pytest.mark.parametrize(
    "after",
    ["average.load_state_dict(state)", "return state", "torch.save(state, 'a.pt')", "kept = state"],
)
def test_an_entry_of_a_state_that_goes_on_is_quiet(after: str) -> None:
    assert kinds(STATES.format(after=after)) == []
