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
    "a model is only evaluated": """
        net = torch.nn.Linear(2, 1)
        print(float(net(torch.ones(4, 2)).mean()))
        """,
}
LOST = {
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


def traced(source: str, folder: Path) -> Traced:
    always = torch.is_warn_always_enabled()
    try:
        text = "".join(line.removeprefix(" " * 8) for line in source.splitlines(True))
        return Traced(HEAD + text, folder, ended=True)
    finally:
        torch.set_warn_always(always)


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
    (row,) = (
        row
        for row, line in enumerate(run.file.read_text().splitlines(), 1)
        if line.endswith("# here")
    )
    found = findings_of(run.tracer.faults)
    assert rule in [one.name for one in found if one.place.row == row]
    assert "refused-by-autograd" not in [one.name for one in found]


def test_marking_dirty_what_is_no_input_is_not_told(tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match="mark_dirty"):
        run = traced(
            """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                y = x * 2
                ctx.mark_dirty(y)
                return y
            @staticmethod
            def backward(ctx, g):
                return g * 2
        Double.apply(w * 1).backward()
        b.sum().backward()
        """,
            tmp_path,
        )
    assert run.tracer.faults == []
