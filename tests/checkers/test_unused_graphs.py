"""Graphs that a program keeps, and never walks."""

import gc

import pytest
import torch

from tests.vm.running import kinds

TRAINING = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
kept = []
for _ in range(8):
    x = torch.ones(3, 2)
    {inside}
    optimizer.zero_grad()
    model(x).mean().backward()
    optimizer.step()
"""
BESIDE = TRAINING.format(inside="kept.append(model(x).sigmoid(){})")
AFTERWARDS = TRAINING.format(inside="pass") + "for _ in range(8):\n    kept.append({})\n"
WALKED_LATER = """
    {condition}
        optimizer.zero_grad()
        {walk}
        optimizer.step()
        kept.clear()
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (BESIDE.format(""), True),
        (BESIDE.format(".detach()"), False),
        (AFTERWARDS.format("model(x)"), True),
        (AFTERWARDS.format("model(x).item()"), False),
        (BESIDE.format("") + "print(torch.cat(kept).mean().item())\n", True),
    ],
)
def test_what_a_program_that_trains_gathers_beside_keeps_its_graphs(text: str, told: bool) -> None:
    assert ("graph-kept" in kinds(text)) is told


@pytest.mark.parametrize(("found", "told"), [("scores", False), ("model(x)", True)])
def test_parts_of_one_result_have_one_graph(found: str, told: bool) -> None:
    loop = f"scores = model(x)\nfor kind in range(8):\n    kept.append({found}[kind:])\n"
    assert ("graph-kept" in kinds(TRAINING.format(inside="pass") + loop)) is told


@pytest.mark.parametrize(
    ("condition", "walk"),
    [
        ("if len(kept) == 4:", "torch.cat(kept).mean().backward()"),
        ("if done():", "torch.cat(kept).mean().backward()"),
        ("if done():", "update(kept)"),
    ],
)
def test_another_path_may_walk_what_was_gathered(condition: str, walk: str) -> None:
    text = "import random\ndef done():\n    return random.random() > 0.5\n"
    text += "def update(values):\n    torch.cat(values).mean().backward()\n"
    text += BESIDE.format("") + WALKED_LATER.format(condition=condition, walk=walk)
    assert "graph-kept" not in kinds(text)


def _graphs_after(text: str) -> int:
    """How many tensors that a graph leads to are alive when a program has run."""
    names: dict[str, object] = {"torch": torch, "nn": torch.nn}
    exec(text, names)
    gc.collect()
    kept = names["kept"]
    assert isinstance(kept, list)
    return sum(isinstance(one, torch.Tensor) and one.grad_fn is not None for one in kept)


def test_torch_keeps_every_graph() -> None:
    assert _graphs_after(BESIDE.format("")) == 8
    assert _graphs_after(BESIDE.format(".detach()")) == 0
