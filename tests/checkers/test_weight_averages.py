"""Averages of weights: which way they go, and what they leave out."""

import pytest

from tests.vm.running import kinds

TEXT = """
import copy
model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    with torch.no_grad():
        wanted = average(torch.ones(3, 2))
    loss = nn.functional.mse_loss(model(torch.ones(3, 2)), wanted + 1)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, e in zip({pairs}):
            {update}
"""
ALL = "model.parameters(), average.parameters()"


def text(update: str, pairs: str = ALL) -> str:
    """A program that trains a module and keeps an average of it."""
    return TEXT.format(update=update, pairs=pairs)


@pytest.mark.parametrize(
    ("own", "other"), [("p", "e"), ("p.data", "e.data"), ("p.detach()", "e.detach()")]
)
def test_an_average_in_the_wrong_direction_is_told(own: str, other: str) -> None:
    assert kinds(text(f"{own}.mul_(0.9).add_({other}, alpha=0.1)")) == ["average-reversed"]
    assert kinds(text(f"{own}.copy_(0.9 * {own} + 0.1 * {other})")) == ["average-reversed"]
    assert kinds(text(f"{own}.lerp_({other}, 0.1)")) == ["average-reversed"]
    assert kinds(text(f"{own}.sub_(0.1 * ({own} - {other}))")) == ["average-reversed"]


@pytest.mark.parametrize(
    "update",
    [
        "e.mul_(0.9).add_(p, alpha=0.1)",
        "e.copy_(0.9 * e + 0.1 * p); p.lerp_(e, 0.1)",
        "p.mul_(0.9)",
        "p.copy_(e)",
    ],
)
def test_a_copy_that_follows_and_a_restored_network_are_quiet(update: str) -> None:
    assert kinds(text(update)) == []


def test_a_part_that_is_left_out_is_told() -> None:
    pairs = "model[0].parameters(), average[0].parameters()"
    assert kinds(text("e.lerp_(p, 0.1)", pairs)) == ["average-incomplete"]


def test_a_loop_of_which_not_all_is_known_may_go_through_the_rest() -> None:
    pairs = "model.state_dict().values(), average.state_dict().values()"
    assert kinds(text("e.copy_(0.9 * e + 0.1 * p)", pairs)) == []


def test_what_a_long_loop_writes_further_on_is_not_known() -> None:
    layers = ", ".join(["nn.Linear(2, 2)"] * 7)
    program = text("e.data.copy_(0.1 * p.data + 0.9 * e.data)")
    assert kinds(program.replace("nn.Linear(2, 2)", layers, 1)) == []


def test_a_long_training_leaves_out_what_a_short_one_does() -> None:
    pairs = "model[0].parameters(), average[0].parameters()"
    program = text("e.lerp_(p, 0.1)", pairs).replace("range(3)", "range(1000)")
    assert kinds(program) == ["average-incomplete"]


def test_a_reference_beside_an_average_is_quiet() -> None:
    program = text("e.lerp_(p, 0.1)").replace(
        "average = ", "reference = copy.deepcopy(model)\naverage = ", 1
    )
    assert kinds(program.replace("wanted = ", "wanted = reference(torch.ones(3, 2)) + ")) == []


BUFFERS = """
import copy
model = nn.Sequential(nn.Linear(2, 2), {layer})
average = copy.deepcopy(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    loss = model(torch.ones(3, 2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for p, e in zip(model.parameters(), average.parameters()):
            e.lerp_(p, 0.1)
        {after}
{mode}
with torch.no_grad():
    print(average(torch.ones(3, 2)).mean().item())
"""


def buffers(
    layer: str = "nn.BatchNorm1d(2)", after: str = "pass", mode: str = "average.eval()"
) -> str:
    """A program that evaluates an average."""
    return BUFFERS.format(layer=layer, after=after, mode=mode)


def test_buffers_that_are_left_out_are_told() -> None:
    assert kinds(buffers()) == ["average-incomplete"]


@pytest.mark.parametrize(
    "after",
    [
        "for e, b in zip(average.buffers(), model.buffers()): e.copy_(b)",
        "average[1].running_mean.copy_(model[1].running_mean)",
    ],
)
def test_buffers_that_are_brought_along_are_quiet(after: str) -> None:
    assert kinds(buffers(after=after)) == []


def test_an_average_without_running_statistics_is_quiet() -> None:
    assert kinds(buffers(layer="nn.LayerNorm(2)")) == []
    assert "average-incomplete" not in kinds(buffers(mode="average.train()"))


def test_a_part_that_is_loaded_now_and_then_is_not_left_out() -> None:
    pairs = "model[0].parameters(), average[0].parameters()"
    loaded = "average[1].load_state_dict(model[1].state_dict())"
    program = text("e.lerp_(p, 0.1)", pairs)
    assert kinds(program.replace("optimizer.step()", f"optimizer.step(); {loaded}")) == []
