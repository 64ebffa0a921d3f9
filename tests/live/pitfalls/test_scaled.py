"""Gradients of a scaled loss that are divided by another scale."""

from pathlib import Path

from tests.live.pitfalls.training import here, told

TWO = """
other = torch.nn.Linear(2, 1)
second = torch.optim.SGD(other.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0, growth_interval=1)
for _ in range(3):
    opt.zero_grad()
    second.zero_grad()
    scaler.scale(net(x).square().sum()).backward()
    scaler.scale(other(x).square().sum()).backward()
    scaler.step(opt)
{between}
    scaler.step(second)
    scaler.update()
"""


def test_a_scale_that_changes_between_two_steps_is_told(tmp_path: Path) -> None:
    source = TWO.format(between="    scaler.update()  # here")
    assert told(source, tmp_path) == here("scaled-gradients", source)


def test_a_scale_that_changes_after_all_steps_is_quiet(tmp_path: Path) -> None:
    assert told(TWO.format(between=""), tmp_path) == []
