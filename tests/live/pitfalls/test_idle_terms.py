"""Terms of a loss that reach the parameters of another optimizer alone."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

START = """
judge = torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.LeakyReLU(), torch.nn.Linear(4, 1))
judging = torch.optim.SGD(judge.parameters(), lr=0.1)
ones, zeros = torch.ones(4, 1), torch.zeros(4, 1)
loss = torch.nn.functional.mse_loss
"""

WRONG = {
    "the generator's own loss": f"""{START}
for _ in range(4):
    made = net(x)
    opt.zero_grad()
    seen = made.detach()  # here
    (loss(judge(seen), ones) + 0.1 * loss(made, y)).backward()
    opt.step()
    judging.zero_grad()
    (loss(judge(y), ones) + loss(judge(net(x).detach()), zeros)).backward()
    judging.step()
""",
    "the backward of both is one statement": f"""{START}
def loss_of(at):
    made = net(x)
    if at == 0:
        seen = torch.cat([made.detach(), made.detach()])  # here
        return loss(judge(seen), torch.ones(8, 1)) + 0.1 * loss(made, y)
    return loss(judge(y), ones) + loss(judge(made.detach()), zeros)
for _ in range(4):
    for at, one in enumerate((opt, judging)):
        one.zero_grad()
        loss_of(at).backward()
        one.step()
""",
}

RIGHT = {
    "its graph is there": f"""{START}
for _ in range(4):
    made = net(x)
    opt.zero_grad()
    (loss(judge(made), ones) + 0.1 * loss(made, y)).backward()
    opt.step()
    judging.zero_grad()
    (loss(judge(y), ones) + loss(judge(made.detach()), zeros)).backward()
    judging.step()
""",
    "both losses in one backward": f"""{START}
for _ in range(4):
    made = net(x)
    opt.zero_grad()
    judging.zero_grad()
    of_judge = loss(judge(y), ones) + loss(judge(made.detach()), zeros)
    (of_judge + loss(made, y)).backward()
    opt.step()
    judging.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_term_whose_gradients_are_always_dropped_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("constant-loss-term", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_terms_that_train_something_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
