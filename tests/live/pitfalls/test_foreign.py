"""Gradients that the loss of an actor leaves in its critic."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

CRITIC = """
critic = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
other = torch.optim.Adam(critic.parameters(), lr=0.1)
def judged(action):
    return critic(torch.cat([x, action], 1))
"""

WRONG = {
    "the loss of the critic first, one step for both": f"""{CRITIC}
for _ in range(4):
    other.zero_grad()
    (judged(net(x).detach()) - y).square().mean().backward()
    opt.zero_grad()
    (-judged(net(x)).mean()).backward()  # here
    other.step()
    opt.step()
""",
    "two critics": f"""{CRITIC}
twin = torch.nn.Linear(3, 1)
other.add_param_group({{"params": twin.parameters()}})
for _ in range(4):
    other.zero_grad()
    action = net(x).detach()
    (judged(action) - y).square().mean().add(twin(torch.cat([x, action], 1)).mean()).backward()
    opt.zero_grad()
    action = net(x)
    both = torch.cat([judged(action), twin(torch.cat([x, action], 1))], 1)
    (-both.mean(1).mean()).backward()  # here
    other.step()
    opt.step()
""",
}

RIGHT = {
    "the critic steps before": f"""{CRITIC}
for _ in range(4):
    other.zero_grad()
    (judged(net(x).detach()) - y).square().mean().backward()
    other.step()
    fit(-judged(net(x)).mean())
""",
    "the critic is frozen meanwhile": f"""{CRITIC}
for _ in range(4):
    other.zero_grad()
    (judged(net(x).detach()) - y).square().mean().backward()
    critic.requires_grad_(False)
    opt.zero_grad()
    (-judged(net(x)).mean()).backward()
    critic.requires_grad_(True)
    other.step()
    opt.step()
""",
    "an encoder that learns by both losses": """
head, actor = torch.nn.Linear(2, 1), torch.nn.Linear(1, 1)
others = [torch.optim.SGD(one.parameters(), lr=0.1) for one in (head, actor)]
for _ in range(4):
    for one in (opt, head, actor):
        one.zero_grad()
    seen = net(x)
    (head(torch.cat([seen, y], 1)) - y).square().mean().backward()
    seen = net(x)
    (-head(torch.cat([seen, actor(seen)], 1)).mean()).backward()
    opt.step()
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_judgement_that_also_trains_the_judge_is_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("foreign-gradient", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_judges_that_learn_by_their_own_loss_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
