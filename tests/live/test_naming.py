"""A finding of the tracer calls a tensor what the program calls it."""

import ast
from pathlib import Path

import pytest

from autograd_lint.live.findings import findings_of
from autograd_lint.live.naming import statement_at
from autograd_lint.places import Place
from tests.live.programs import Traced

# What writes to a tensor that `exp` has saved, and what the finding calls it.
WRITES = {
    "h.add_(1)": "h",
    "h[0] = 0": "h",
    "torch.relu_(h)": "h",
    "F.relu(h, inplace=True)": "h",
    "torch.add(x.detach(), 1, out=h)": "h",
    "torch._foreach_add_([h], 1)": "a tensor",
    "held['best'].add_(1)": 'held["best"]',
    "net.act(h)": "h",
    "net.later(h)": "given",
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("write", WRITES)
def test_a_written_tensor_is_called_by_its_name(write: str, traced: Traced) -> None:
    run = traced(f"""
        import torch
        from torch.nn import functional as F
        class Layers(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.act = torch.nn.ReLU(inplace=True)
            def later(self, given):
                return self.act(given)
        net = Layers()
        x = torch.randn(3, requires_grad=True)
        h = x.exp()
        held = {{"best": h}}
        with torch.no_grad():
            {write}
        h.sum().backward()
        """)
    (finding,) = findings_of(run.tracer.faults)
    name = WRITES[write]
    assert finding.message.startswith(f"`{name}` is" if name != "a tensor" else name)


@pytest.mark.parametrize("root", ["loss.backward()", "torch.autograd.grad(loss, w)"])
def test_a_root_is_called_by_its_name(root: str, traced: Traced) -> None:
    run = traced(f"""
        import torch
        w = torch.ones(2, requires_grad=True)
        loss = (w * 2).detach().sum()
        {root}
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert finding.message.startswith("`loss` does not require grad")


def test_what_torch_calls_a_tensor_is_not_its_name(traced: Traced) -> None:
    run = traced("""
        import torch
        class Net(torch.nn.Module):
            def forward(self, features):
                return torch.nn.functional.linear(*features)
        with torch.inference_mode():
            given = torch.ones(2, 2), torch.ones(2, 2)
        Net()([given[0], given[1].clone().requires_grad_()])
        """)
    (finding,) = findings_of(run.tracer.faults)
    assert "`input`" not in finding.message


NESTED = """
@decorated
def function(x):
    try:
        first(); second()
    except ValueError:
        caught()
    else:
        other()
    match x:
        case 1:
            chosen()
    if x: third(); fourth()
    return (
        last
    )
"""
# The row, and the innermost statement around it, the last of several.
ROWS = {
    1: None,
    2: None,
    5: "second()",
    7: "caught()",
    9: "other()",
    12: "chosen()",
    13: "fourth()",
    15: "return last",
}


@pytest.mark.parametrize("row", ROWS)
def test_the_innermost_statement_of_a_row(row: int, tmp_path: Path) -> None:
    file = tmp_path / "nested.py"
    file.write_text(NESTED)
    found = statement_at(Place(str(file), row, 1, row, 2))
    assert (ast.unparse(found) if found is not None else None) == ROWS[row]
