"""Modules whose parameters no optimizer has: noted where nothing explains it."""

from pathlib import Path
from textwrap import dedent

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.checkers import noting
from tests.checkers.noting import noted, rows

TRAINING = """
{before}
head = {head}
{between}
for x, y in loader:
    optimizer.zero_grad()
    {within}
    F.mse_loss(head(model(x)), y).backward()
    optimizer.step()
{after}
"""
HEAD = "nn.Linear(1, 1)"
OWN = """
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(1, 1)

    def forward(self, x):
        return self.layer(x)
"""
MEANT = {
    "it has an optimizer of its own": {
        "between": "own = torch.optim.SGD(head.parameters(), lr=0.1)",
        "within": "own.step()",
    },
    "the optimizer is given it later": {
        "between": "optimizer.add_param_group({'params': list(head.parameters())})"
    },
    "an optimizer of unknown parameters may have it": {
        "between": "other = torch.optim.SGD(open('parameters').readlines(), lr=0.1)"
    },
    "unknown code is given it": {"before": "import tools", "between": "tools.train(head)"},
    "unknown code is given its parameters": {
        "before": "import tools",
        "between": "own = tools.Adam(head.parameters())",
    },
    "a class of another package is given it": {
        "before": "import tools\nclass Own(tools.Trainer):\n    pass",
        "between": "Own(model=head)",
    },
    "it is frozen": {"between": "head.requires_grad_(False)"},
    "it is frozen in part": {"between": "head.weight.requires_grad_(False)"},
    "it is loaded": {"between": "head.load_state_dict(torch.load('head.pt'))"},
    "it is set to fixed values": {"between": "head.weight.data.copy_(torch.ones(1, 1))"},
    "it is only evaluated": {"between": "head.eval()"},
    "its part is only evaluated": {
        "head": "nn.Sequential(nn.Linear(1, 1))",
        "between": "head[0].eval()",
    },
    "the program updates it": {
        "after": "with torch.no_grad():\n    head.weight -= 0.1 * head.weight.grad"
    },
    "its gradient is looked at": {"after": "print(head.weight.grad)"},
    "its gradients are cleared": {"within": "head.zero_grad()"},
    "it is a copy": {"head": "copy.deepcopy(model[2])", "within": "x = x[:, :1].repeat(1, 4)"},
}
FIELDS = ("before", "between", "within", "after")


def program(**parts: str) -> str:
    """A loop that trains `model`, and puts `head` behind it."""
    filled = {"head": HEAD, "within": "pass", **parts}
    return TRAINING.format(**{name: filled.get(name, "") for name in ("head", *FIELDS)})


def test_a_module_beside_the_one_that_learns_is_noted_where_it_is_made() -> None:
    assert rows(program(), Pitfall.NO_OPTIMIZER) == [3]


def test_so_is_an_object_of_the_programs_own_class() -> None:
    text = program(before=OWN, head="Head()")
    assert rows(text, Pitfall.NO_OPTIMIZER) == [text.split("\n").index("head = Head()") + 1]


def assumed(text: str) -> set[str]:
    """What is assumed of the modules that no optimizer has."""
    faults = analyse(Source("program.py", noting.HEAD + dedent(text)))
    found = [fault for fault in faults if fault.kind is Pitfall.NO_OPTIMIZER]
    assert found
    return {one.name for fault in found for one in fault.assumptions}


def test_a_module_of_layers_may_be_there_to_stay_as_it_was_drawn() -> None:
    assert assumed(program()) == {"meant-to-learn"}


def test_parameters_that_the_program_declares_are_to_learn() -> None:
    scaled = OWN.replace(
        "self.layer = nn.Linear(1, 1)", "self.layer = nn.Parameter(torch.ones(()))"
    ).replace("self.layer(x)", "self.layer * x")
    assert assumed(program(before=scaled, head="Head()")) == set()


def test_a_part_is_to_learn_where_most_of_its_neighbours_do() -> None:
    net = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second, self.third = nn.Linear(4, 4), nn.Linear(4, 4), nn.Linear(4, 4)

        def forward(self, x):
            return self.third(self.second(self.first(x)))

    net = Net()
    parts = [*net.first.parameters(), *net.third.parameters()]
    adam = torch.optim.Adam(parts, lr=0.1)
    for x, y in loader:
        adam.zero_grad()
        net(x).pow(2).mean().backward()
        adam.step()
    """
    assert assumed(net) == set()


BY_NAME = """
net = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
names = {names}
adam = torch.optim.Adam([one for name, one in net.named_parameters() if name in names], lr=0.1)
for x, y in loader:
    adam.zero_grad()
    net(x).pow(2).mean().backward()
    adam.step()
"""


def test_a_weight_is_to_learn_where_the_bias_of_its_layer_does() -> None:
    assert assumed(BY_NAME.format(names='("0.weight", "0.bias", "2.bias")')) == set()


def test_biases_alone_may_be_what_is_to_learn() -> None:
    text = noting.HEAD + dedent(BY_NAME.format(names='("0.bias", "2.bias")'))
    faults = analyse(Source("program.py", text))
    assert [fault for fault in faults if fault.kind is Pitfall.NO_OPTIMIZER] == []


def test_drawing_its_first_values_changes_nothing() -> None:
    text = program(between="nn.init.xavier_uniform_(head.weight)")
    assert rows(text, Pitfall.NO_OPTIMIZER) == [3]


@pytest.mark.parametrize("parts", MEANT.values(), ids=MEANT.keys())
def test_nothing_is_noted_where(parts: dict[str, str]) -> None:
    assert Pitfall.NO_OPTIMIZER not in noted(dedent(program(**parts)))


def test_what_a_tensor_is_fitted_through_may_be_meant_to_stay() -> None:
    text = """
    image = torch.zeros(3, 4, requires_grad=True)
    fixed = nn.Linear(4, 1)
    adam = torch.optim.Adam([image], lr=0.1)
    for _ in range(10):
        adam.zero_grad()
        fixed(image).pow(2).mean().backward()
        adam.step()
    """
    assert Pitfall.NO_OPTIMIZER not in noted(text)


AGENT = """
    class Agent:
        def __init__(self):
            self.encoder, self.head = nn.Linear(4, 1), nn.Linear(1, 1)
            self.own = torch.optim.SGD(self.encoder.parameters(), lr=0.1)

        def fit(self, x, y):
            self.own.zero_grad()
            F.mse_loss(self.head(self.encoder(x)), y).backward()
            self.own.step()

        def learn(self, batches):
            self.fit(*batches.next())
    """


def test_objects_of_a_class_that_has_optimizers_train_themselves() -> None:
    assert rows(AGENT, Pitfall.NO_OPTIMIZER) == [4]


def test_what_others_look_for_in_an_object_may_be_given_an_optimizer_elsewhere(
    tmp_path: Path,
) -> None:
    (tmp_path / "train.py").write_text("def train(agent):\n    return Trainer(agent.head)\n")
    source = Source(str(tmp_path / "agent.py"), noting.HEAD + dedent(AGENT))
    found = analyse(source, Project([tmp_path]))
    assert Pitfall.NO_OPTIMIZER not in {fault.kind for fault in found}


POINTS = """
x = torch.randn(8, 4, requires_grad=True)
for _ in range(5):
    optimizer.zero_grad()
    loss = {loss}
    loss.backward()
    optimizer.step()
"""


def test_what_a_network_is_given_is_data_though_it_requires_grad() -> None:
    assert Pitfall.NO_OPTIMIZER not in noted(POINTS.format(loss="model(x).pow(2).mean()"))
    beside = POINTS.format(loss="(model(x.detach()) * x).pow(2).mean()")
    assert Pitfall.NO_OPTIMIZER in noted(beside)
