"""What shows that a value has no graph."""

from tests.interpreter.running import kinds

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
