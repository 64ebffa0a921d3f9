"""Places where the graph of what is to be trained is left."""

from pathlib import Path

from tests.live.pitfalls.training import here, told


def test_of_indices_and_what_is_picked_by_them_the_latter_is_told(tmp_path: Path) -> None:
    source = """
    codes = torch.nn.Embedding(5, 1)
    opt.add_param_group({"params": codes.parameters()})
    for _ in range(3):
        found = net(x)
        nearest = (found - codes.weight.t()).abs().argmin(1)
        picked = found + (codes(nearest) - found).detach()  # here
        loss = (picked - y).square().mean()
        fit(loss)
    """
    assert told(source, tmp_path) == here("gradient-cut", source)


def test_indices_that_nothing_is_picked_by_are_told(tmp_path: Path) -> None:
    source = """
    gate = torch.nn.Linear(2, 3)
    opt.add_param_group({"params": gate.parameters()})
    for _ in range(3):
        chosen = gate(x).argmax(1)  # here
        loss = (net(x) * (chosen + 1).unsqueeze(1) - y).square().mean()
        fit(loss)
    """
    assert told(source, tmp_path) == here("gradient-cut", source)
