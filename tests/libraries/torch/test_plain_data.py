"""What shows that a value has no graph."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.project.source import Source
from tests.vm.running import HEAD, kinds

SCHEDULE = """
def train(load, batches, model):
    schedule = load()
    rates, others = torch.sqrt({rates}), torch.sqrt(schedule.alphas)
    {shown}
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for batch in batches:
        optimizer.zero_grad()
        (model(batch) * rates).mean().backward()
        optimizer.step()
"""


def test_what_is_handed_to_numpy_has_no_graph() -> None:
    shown = "solver = library.make(schedule.alphas.numpy())"
    assert kinds(SCHEDULE.format(rates="schedule.alphas", shown=shown)) == []
    assert kinds(SCHEDULE.format(rates="1 - schedule.alphas", shown=shown)) == []


def test_what_may_have_a_graph() -> None:
    text = SCHEDULE.format(rates="1 - schedule.alphas", shown="pass")
    assert kinds(text) == ["graph-freed"]


NAMED = """
def make(model):
    weights = [p for p in model.parameters()]
    return torch.optim.Adam([p for name, p in weights if "bias" not in name])
"""


def test_pairs_of_names_and_parameters_are_no_rows() -> None:
    assert kinds(NAMED) == []


OUTSIDE = """
from library import Graphs, make

def train(model):
    degrees = torch.stack({made}["paper"].edges("uv")).sum(0) ** -0.5
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for epoch in range(3):
        optimizer.zero_grad()
        (model(epoch) * degrees).mean().backward()
        optimizer.step()
"""


def test_parts_of_what_an_outside_class_makes_are_data() -> None:
    assert kinds(OUTSIDE.format(made="Graphs()")) == []
    assert kinds(OUTSIDE.format(made="make()")) == ["graph-freed"]


def test_what_an_outside_function_loads_for_a_script_is_data() -> None:
    text = (
        "from relations import load\n"
        "std = load('pairs').x.std()\n"
        "w = torch.ones(3, requires_grad=True)\n"
        "for _ in range(3):\n"
        "    (std * w).sum().backward()\n"
    )
    assert kinds(text) == []
    assert kinds(text.replace("load('pairs').x", "torch.ones(3, requires_grad=True)")) != []


ELEMENTS = """
class Pairs({}):
    def __init__(self, pairs):
        self.pairs = pairs

    def __getitem__(self, index):
        return self.pairs[index], len(self.pairs)

def train(pairs):
    first, _ = Pairs(pairs)[0]
    std = first.std()
    w = torch.ones(3, requires_grad=True)
    for _ in range(3):
        (std * w).sum().backward()
"""


@pytest.mark.parametrize(
    ("base", "found"), [("torch.utils.data.Dataset", []), ("object", ["graph-freed"])]
)
def test_what_a_data_set_gives_is_data(base: str, found: list[str]) -> None:
    assert kinds(ELEMENTS.format(base)) == found


QUANTIZED = """
def quantized(x):
    low = x.amin(dim=0, keepdim=True)
    y = (x - low).exp()
    scale = 255 / y.amax(dim=0, keepdim=True)
    y = y.mul_(scale)
    return y.round().to({dtype}), scale
"""


@pytest.mark.parametrize(
    ("dtype", "found"),
    [
        ("torch.uint8", []),
        ("torch.int8", []),
        ("torch.int64", ["saved-tensor-modified"]),
        ("torch.float32", ["saved-tensor-modified"]),
    ],
)
def test_what_becomes_bytes_is_data(dtype: str, found: list[str]) -> None:
    assert kinds(QUANTIZED.format(dtype=dtype)) == found


def test_what_is_taken_for_data_becomes_an_array() -> None:
    text = "import library\nout = library.infer()[..., :4]\nout.data.cpu().clamp_(0, 1).numpy()\n"
    assert list(analyse(Source("a.py", HEAD + text))) == []
