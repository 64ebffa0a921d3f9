"""What lies in the memory of parameters, and is used as if it were a copy."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

# The rule, and what is wrong: `# here` marks the line to be named.
WRONG = {
    "an average of states that are one": (
        "state-overwritten",
        """
        kept = []
        for _ in range(3):
            fit(net(x).square().sum())
            kept.append(net.state_dict())  # here
        print({name: sum(one[name] for one in kept) / 3 for name in kept[0]})
        """,
    ),
    "the best state is the live one": (
        "state-overwritten",
        """
        best = None
        for step in range(12):
            fit(net(x).square().sum())
            if step == 8:
                best = net.state_dict()  # here
        net.load_state_dict(best)
        """,
    ),
    "weights that are put aside for an evaluation": (
        "snapshot-overwritten",
        """
        average = [p.detach().clone() for p in net.parameters()]
        for _ in range(3):
            fit(net(x).square().sum())
            with torch.no_grad():
                kept = [p.data for p in net.parameters()]
                for p, other in zip(net.parameters(), average):
                    p.copy_(other)  # here
                for p, other in zip(net.parameters(), kept):
                    p.copy_(other)
        """,
    ),
    "an average of the state with itself": (
        "state-overwritten",
        """
        average = net.state_dict()  # here
        for _ in range(4):
            fit(net(x).square().sum())
            with torch.no_grad():
                for name, now in net.state_dict().items():
                    average[name].copy_(0.9 * average[name] + 0.1 * now)
        """,
    ),
    "an average that is written into the state of the first": (
        "state-overwritten",
        """
        import copy
        nets = [copy.deepcopy(net) for _ in range(2)]
        steps = [torch.optim.SGD(one.parameters(), lr=0.1) for one in nets]
        for _ in range(3):
            for one, step in zip(nets, steps):
                step.zero_grad()
                one(x).square().sum().backward()
                step.step()
            average = nets[0].state_dict()  # here
            for name, value in nets[1].state_dict().items():
                average[name].add_(value).div_(2)
            net.load_state_dict(average)
        """,
    ),
}

RIGHT = {
    "states of which the latest is read": """
    kept = []
    for _ in range(3):
        fit(net(x).square().sum())
        kept.append(net.state_dict())
        print(kept[-1]["0.weight"].norm())
    """,
    "an average that each of them begins with": """
        import copy
        nets = [copy.deepcopy(net) for _ in range(2)]
        steps = [torch.optim.SGD(one.parameters(), lr=0.1) for one in nets]
        for _ in range(3):
            for one, step in zip(nets, steps):
                one.load_state_dict(net.state_dict())
                step.zero_grad()
                one(x).square().sum().backward()
                step.step()
            average = nets[0].state_dict()
            for name, value in nets[1].state_dict().items():
                average[name].add_(value).div_(2)
            net.load_state_dict(average)
    """,
    "a moving average that is written in its state and handed on": """
        import copy
        target, shown = copy.deepcopy(net), copy.deepcopy(net)
        for _ in range(3):
            fit(net(x).square().sum())
            state = target.state_dict()
            for name, value in net.state_dict().items():
                state[name].lerp_(value, 0.1)
            target.load_state_dict(state)
            shown.load_state_dict(state)
    """,
    "a state that is loaded before the next step": """
    for _ in range(3):
        fit(net(x).square().sum())
        net.load_state_dict(net.state_dict())
    """,
    "a state that another module loads": """
    import copy
    other, state = copy.deepcopy(net), net.state_dict()
    for _ in range(3):
        fit(net(x).square().sum())
    other.load_state_dict(state)
    """,
    "weights that are copied for an evaluation": """
    average = [p.detach().clone() for p in net.parameters()]
    for _ in range(3):
        fit(net(x).square().sum())
        with torch.no_grad():
            kept = [p.data.clone() for p in net.parameters()]
            for p, other in zip(net.parameters(), average):
                p.copy_(other)
            for p, other in zip(net.parameters(), kept):
                p.copy_(other)
    """,
    "a kept state by which weights are clamped": """
    state = net.state_dict()
    for _ in range(4):
        fit(net(x).square().mean())
        for value in state.values():
            value.copy_(value.clamp(-9, 9))
    """,
    "an average in memory of its own": """
    average = {name: value.clone() for name, value in net.state_dict().items()}
    for _ in range(4):
        fit(net(x).square().sum())
        with torch.no_grad():
            for name, now in net.state_dict().items():
                average[name].copy_(0.9 * average[name] + 0.1 * now)
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_what_moves_with_the_parameters_is_told(name: str, tmp_path: Path) -> None:
    rule, source = WRONG[name]
    assert told(source, tmp_path) == here(rule, source)


@pytest.mark.parametrize("name", RIGHT)
def test_copies_and_writes_on_purpose_are_quiet(name: str, tmp_path: Path) -> None:
    assert told(RIGHT[name], tmp_path) == []
