"""Graphs that are kept for a later call of the engine."""

from pathlib import Path

from tests.live.pitfalls.training import here, told


def test_a_graph_that_gradients_are_asked_of_again_is_not_kept_in_vain(tmp_path: Path) -> None:
    source = """
    for _ in range(4):
        opt.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward(retain_graph=True)
        print(torch.autograd.grad(loss, net[0].weight)[0].norm())
        opt.step()
    """
    assert told(source, tmp_path) == []


def test_a_graph_that_nothing_goes_through_again_is_told(tmp_path: Path) -> None:
    source = """
    for _ in range(4):
        opt.zero_grad()
        loss = (net(x) - y).square().mean()
        loss.backward(retain_graph=True)  # here
        opt.step()
    """
    assert told(source, tmp_path) == here("needless-retain-graph", source)
