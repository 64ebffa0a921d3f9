"""What torch warns of is told where a gradient is lost by it, and nothing of a correct program."""

from pathlib import Path

import pytest
import torch

from autograd_lint.live.findings import findings_of
from tests.live.programs import Traced

HEAD = """
import math, torch, warnings
warnings.simplefilter("always")
torch.set_warn_always(True)
w = torch.tensor(1.0, requires_grad=True)
b = torch.tensor(0.5, requires_grad=True)
opt = torch.optim.SGD([w, b], lr=0.1)
"""

# Torch warns of each: a tensor that requires grad is made a number.
LOGGED = {
    "a loss is logged": """
        total = 0.0
        for _ in range(4):
            opt.zero_grad()
            loss = (w * b - 3) ** 2
            loss.backward()
            opt.step()
            total += float(loss)
        """,
    "a loss is looked at": """
        for _ in range(4):
            opt.zero_grad()
            loss = (w * b - 3) ** 2
            if math.isnan(loss):
                break
            loss.backward()
            opt.step()
        """,
    "a parameter is printed": """
        opt.zero_grad()
        (w * b).backward()
        opt.step()
        print("%.3f" % w, int(b))
        """,
    "a leaf is read where nothing is differentiated": "print(float(w))",
    "a scale is computed of the number, and written as a number": """
        for _ in range(4):
            opt.zero_grad()
            loss = (w * b - 3) ** 2
            loss.backward()
            opt.step()
            print(math.sqrt(loss), math.floor(loss), math.isnan(loss))
            ((w * b) + 2.0 + math.log(7)).backward()
        """,
    "a term is detached before it is read": """
        (w * b + (b * b).detach().item() + math.sqrt((b * b).detach())).backward()
        print(float(b))
        """,
    "a model is only evaluated": """
        net = torch.nn.Linear(2, 1)
        print(float(net(torch.ones(4, 2)).mean()))
        """,
}
LOST = {
    "a term that a function computes of the number": (
        """
        for _ in range(4):
            opt.zero_grad()
            mse = (w - 0.3) ** 2
            loss = mse + math.sqrt(mse)  # here
            loss.backward()
            opt.step()
        """,
        "constant-loss-term",
    ),
    "a term of the loss": (
        """
        for _ in range(4):
            opt.zero_grad()
            loss = (w * 2).sum() + float(b * b)  # here
            loss.backward()
            opt.step()
        """,
        "constant-loss-term",
    ),
    "a loss that is made of the number": (
        """
        loss = torch.tensor(float(w * b), requires_grad=True)  # here
        loss.backward()
        """,
        "loss-rebuilt",
    ),
    "a leaf that is only read": (
        """
        v = float(w)  # here
        (b * v).backward()
        """,
        "gradient-cut",
    ),
}

LEAF = """
        for _ in range(2):
            parts = [(w - 1) ** 2, (w - 3) ** 2]
            loss = torch.tensor(parts, requires_grad=True).sum()  # here
            opt.zero_grad()
            loss.backward()
            opt.step()
        """


def traced(source: str, folder: Path) -> Traced:
    always = torch.is_warn_always_enabled()
    try:
        text = "".join(line.removeprefix(" " * 8) for line in source.splitlines(True))
        return Traced(HEAD + text, folder, ended=True)
    finally:
        torch.set_warn_always(always)


def rows_of_here(run: Traced) -> list[int]:
    lines = enumerate(run.file.read_text().splitlines(), 1)
    return [row for row, line in lines if line.endswith("# here")]


@pytest.mark.parametrize("name", LOGGED)
def test_a_number_of_a_tensor_with_a_graph_is_fine_where_its_gradient_is_not_lost(
    name: str, tmp_path: Path
) -> None:
    with pytest.warns(UserWarning, match="to a scalar"):
        run = traced(LOGGED[name], tmp_path)
    assert run.error is None
    assert run.tracer.faults == []


@pytest.mark.filterwarnings("ignore:Converting a tensor")
@pytest.mark.parametrize("name", LOST)
def test_a_number_by_which_a_gradient_is_lost_is_told_by_what_is_lost(
    name: str, tmp_path: Path
) -> None:
    source, rule = LOST[name]
    run = traced(source, tmp_path)
    (row,) = rows_of_here(run)
    found = findings_of(run.tracer.faults)
    assert rule in [one.name for one in found if one.place.row == row]
    assert "refused-by-autograd" not in [one.name for one in found]


def test_torch_is_right_to_warn_of_a_leaf_that_is_made_of_values_with_a_graph(
    tmp_path: Path,
) -> None:
    with pytest.warns(UserWarning, match="to a scalar"):
        run = traced(LEAF, tmp_path)
    (row,) = rows_of_here(run)
    found = findings_of(run.tracer.faults)
    assert ("refused-by-autograd", row) in [(one.name, one.place.row) for one in found]
    said = [one.message for one in found if one.name == "refused-by-autograd"]
    assert said[0].startswith("PyTorch warns: Converting a tensor with requires_grad=True to a")
