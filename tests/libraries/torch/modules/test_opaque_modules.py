"""Modules of unknown classes, and what passes through unknown code."""

import pytest

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from autograd_lint.project.source import Source
from tests.checkers.noting import rows
from tests.vm.running import HEAD, faults, kinds

GAN = """
from models import Critic, Maker
maker, critic = Maker(), Critic()
of_maker = torch.optim.Adam(maker.parameters())
of_critic = torch.optim.Adam({parameters})

def train(noise, criterion):
    fake = maker(noise)
    first = criterion(critic(fake.detach()))
    second = criterion(critic(fake))
    of_critic.zero_grad()
    first.backward()
    {before}
    second.backward()
    {after}
    of_maker.step()
"""


def gan(before: str, after: str, parameters: str = "critic.parameters()") -> list[str]:
    return kinds(GAN.format(before=before, after=after, parameters=parameters))


def test_a_step_between_forward_and_backward() -> None:
    assert gan("of_critic.step()", "pass") == ["saved-tensor-modified"]


def test_a_step_after_both_backwards() -> None:
    assert gan("pass", "of_critic.step()") == []


def test_parameters_that_were_filtered() -> None:
    filtered = "filter(lambda p: p.requires_grad, critic.parameters())"
    assert gan("of_critic.step()", "pass", filtered) == ["saved-tensor-modified"]


def test_parameters_that_were_chained() -> None:
    chained = "[*critic.parameters(), *[]]"
    assert gan("of_critic.step()", "pass", chained) == ["saved-tensor-modified"]


def test_a_frozen_module_keeps_nothing() -> None:
    frozen = GAN.replace("def train", "critic.requires_grad_(False)\n\ndef train")
    text = frozen.format(before="of_critic.step()", after="pass", parameters="critic.parameters()")
    assert kinds(text) == []


def test_what_passes_through_unknown_code_is_said() -> None:
    text = GAN.format(before="of_critic.step()", after="pass", parameters="critic.parameters()")
    (fault,) = faults(text)
    said = "an optimizer steps with gradients that pass through `criterion`"
    assert said in {worded(a) for a in fault.assumptions}


WRITES = "{head}\n    for p in model.parameters():\n        p.add_(1)\n"


def test_a_parameter_of_an_unknown_module_is_a_leaf() -> None:
    made = "from nets import Net\nif True:\n    model = Net()"
    assert kinds(WRITES.format(head=made)) == ["leaf-modified"]


def test_who_writes_the_parameters_of_a_given_module_takes_them_for_frozen() -> None:
    assert kinds(WRITES.format(head="def f(model):")) == []


def test_a_loaded_model_returns_a_graph() -> None:
    text = "model = torch.load('m.pt')\nout = model(torch.ones(3))\nout.cpu().numpy()\n"
    assert kinds(text) == ["numpy-on-grad"]


def test_a_loaded_model_under_no_grad_returns_none() -> None:
    text = (
        "model = torch.load('m.pt')\nwith torch.no_grad():\n    out = model(torch.ones(3))\n"
        "out.cpu().numpy()\n"
    )
    assert kinds(text) == []


PART_OF_A_LOADED_MODEL = """
class Features(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.load('m.pt').first
        for p in self.parameters():
            p.requires_grad = {kept}

    def forward(self, x):
        return self.first(x)

model = Features()
model(torch.ones(3)).numpy()
"""


def test_the_part_of_a_module_is_frozen_with_what_holds_it() -> None:
    assert kinds(PART_OF_A_LOADED_MODEL.format(kept=True)) == ["numpy-on-grad"]
    assert kinds(PART_OF_A_LOADED_MODEL.format(kept=False)) == []


def test_what_a_module_holds_is_not_computed_from_its_parameters() -> None:
    made = "import timm\nmodel = timm.create_model('m')\n"
    assert kinds(made + "model.bank.cpu().numpy()\n") == []
    assert kinds(made + "rate = model.config.get('x', 0.0)\ntorch.full_like(w, rate)\n") == []
    assert kinds(made + "model.encoder(torch.ones(3)).numpy()\n") == ["numpy-on-grad"]


@pytest.mark.parametrize(("called", "learns"), [("prior.score", False), ("module.score", True)])
def test_a_method_of_a_part_of_a_module_need_not_compute_with_parameters(
    called: str, learns: bool
) -> None:
    text = f"import timm\nmodel = timm.create_model('m')\nmodel.{called}(torch.ones(3)).numpy()\n"
    assert bool(kinds(text)) is learns


def test_what_is_loaded_may_be_anything() -> None:
    assert kinds("graph = torch.load('graph.pt')\nrow = graph.coo()\nrow.numpy()\n") == []
    assert kinds("model = torch.load('m.pt')\nmodel.encode(torch.ones(3)).numpy()\n") == [
        "numpy-on-grad"
    ]


LARGE = """
class Targets(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.count = count
        self.means = torch.zeros(4)
        self.size = self.means.size(0)

    def forward(self, boxes):
        return boxes.new(boxes.size()).zero_()

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)
        {settings}
        self.targets = Targets(3)

    def forward(self, boxes):
        wanted = torch.autograd.Variable(self.targets(boxes))
        return (self.layer(boxes) - wanted).sum()
"""


def test_a_module_without_parts_is_looked_into_however_large_its_owner_is() -> None:
    settings = "\n        ".join(f"self.setting_{number} = {number}" for number in range(260))
    assert kinds(LARGE.format(settings=settings)) == []


DETECTED = """
def boxes(image):
    model = torch.hub.load('detection', 'model')
    found = model(image)
    scores = found[0]['scores']{detached}.numpy()
    return found[0]['labels'].cpu().numpy(), scores
"""


def test_who_detaches_other_parts_of_a_result_knows_that_this_one_has_no_graph() -> None:
    assert kinds(DETECTED.format(detached=".cpu()")) == ["numpy-on-grad"]
    assert kinds(DETECTED.format(detached=".detach().cpu()")) == []


DATASET = """
from graphs import Base
class Vessels(Base):
    def __init__(self, name):
        self.name = name

data = Vessels('a')[0]
data.x[:, 0] = nn.functional.normalize(data.x[:, 0], dim=0)
data.x[:, 1] = nn.functional.normalize(data.x[:, 1], dim=0)
(nn.Linear(3, 3)(data.x)).sum().backward()
"""


def test_the_elements_of_an_object_of_an_outside_class_are_data() -> None:
    assert kinds(DATASET) == []


MADE_BY_ANOTHER_PACKAGE = """
from nets import mlp

class Critic(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.net = mlp(width, hidden=[width, width, width], activation="relu", bias=False)

    def forward(self, x):
        return self.net(x)

critic = Critic(8)
optimizer = torch.optim.Adam({given})
out = critic(torch.ones(8))
out.mean().backward(retain_graph=True)
optimizer.step()
out.sum().backward()
"""


def test_what_is_optimized_has_parameters() -> None:
    text = MADE_BY_ANOTHER_PACKAGE.format(given="critic.parameters()")
    (fault,) = faults(text)
    assert fault.kind.value == "saved-tensor-modified"
    assert [a.name for a in fault.assumptions] == ["optimized-requires-grad"]
    assert kinds(MADE_BY_ANOTHER_PACKAGE.format(given="[torch.ones(3)]")) == []


AVERAGE = """
import copy
from library import construct

def train(options, optimizer):
    net = construct(**options).train().requires_grad_({wanted})
    average = copy.deepcopy(net).eval(){frozen}
    for old, new in zip(average.parameters(), net.parameters()):
        old.copy_(new.detach())
"""


def test_a_copy_of_a_module_is_frozen_with_it_or_by_itself() -> None:
    assert kinds(AVERAGE.format(wanted="True", frozen=".requires_grad_(False)")) == []
    assert kinds(AVERAGE.format(wanted="False", frozen="")) == []
    assert kinds(AVERAGE.format(wanted="True", frozen="")) == ["leaf-modified"]


PARTS = """
from elsewhere import load
model = load()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for x, y in torch.utils.data.DataLoader([]):
    {out}
    optimizer.zero_grad()
    (out - y).sum().backward()
    optimizer.step()
    (stop - y).sum().backward()
"""


def test_the_parts_of_what_a_model_gives_may_come_from_several_graphs() -> None:
    assert "graph-freed" not in kinds(PARTS.format(out="out, stop = model(x)"))
    assert "graph-freed" in kinds(PARTS.format(out="out = stop = model(x)"))


AVERAGED = """
def step(model, average, x):
    old = {{}}
    loss = model(x).sum()
    for name, parameter in model.named_parameters():
        old[name] = parameter.data
        parameter.data = average[name]
    for name, parameter in model.named_parameters():
        parameter.data = {given}
    loss.backward()
"""


def test_a_parameter_has_the_same_name_whenever_it_is_asked() -> None:
    assert kinds(AVERAGED.format(given="old[name]")) == []
    assert kinds(AVERAGED.format(given="average[name]")) == ["saved-tensor-modified"]


CHAIN = """
class Net(nn.Module):
    def __init__(self, norm):
        super().__init__()
        self.chain = nn.Sequential(*[{first}, norm(3), nn.Tanh()])

    def forward(self, x):
        x = self.chain(x)
        x += 1
        return x
"""


@pytest.mark.parametrize(
    ("first", "more"),
    [("nn.Linear(3, 3)", set()), ("nn.Flatten()", {Kind.HAS_REQUIRING_PARAMETERS})],
)
def test_a_part_of_a_chain_passes_on_the_graph_that_it_is_given(
    first: str, more: set[Kind]
) -> None:
    (fault,) = analyse(Source("a.py", HEAD + CHAIN.format(first=first)))
    kinds_assumed = {assumption.kind for assumption in fault.assumptions}
    assert kinds_assumed == {Kind.RESULT_TRAINED, Kind.GRAPH_PASSED_ON, *more}


CHECKPOINT = """
class Report:
    def __init__(self, path):
        self.stats = torch.load(path).get("stats", {})

    def points(self):
        return self.stats["points"][1:].numpy()

print(Report("a.pt").points())
"""


def test_an_entry_of_a_checkpoint_is_data() -> None:
    assert kinds(CHECKPOINT) == []


LOST = """
import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader
from models import Net
from data import Images

model = Net().to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for x, y in DataLoader(Images(), 8):
    {forward}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    {after}
"""


def lost(forward: str, after: str = "pass") -> list[tuple[str, int]]:
    found = analyse(Source("program.py", LOST.format(forward=forward, after=after)))
    return [(one.kind.value, one.weight) for one in found if one.weight <= 1]


def test_what_a_model_computes_with_grad_mode_off_is_cut_from_its_parameters() -> None:
    forward = "with torch.no_grad():\n        out = model(x)\n    loss = F.mse_loss(out, y)"
    assert lost(forward) == [("gradient-cut", 0)]


def test_a_model_whose_parameters_are_asked_for_is_no_data() -> None:
    forward = "out = model(x).softmax(1)\n    loss = (out * out).sum()\n    out[:, 0] = 0"
    assert lost(forward) == [("saved-tensor-modified", 0)]


def test_an_array_of_what_is_trained_is_refused() -> None:
    forward = "out = model(x)\n    loss = F.mse_loss(out, y)"
    assert lost(forward, "out.numpy()") == [("numpy-on-grad", 0)]
    assert lost(forward, "out.detach().numpy()") == []


BESIDE = """
from layers import Body, count

body, head = Body(), nn.Linear(4, 4)
{before}
optimizer = torch.optim.SGD({parameters}, lr=0.1)
for x, y in loader:
    loss = F.mse_loss(head(body(x)), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    "parameters", ["body.parameters()", "filter(lambda p: p.requires_grad, body.parameters())"]
)
def test_a_model_of_a_package_has_no_parameters_of_the_programs_other_modules(
    parameters: str,
) -> None:
    assert rows(BESIDE.format(before="", parameters=parameters), Pitfall.NO_OPTIMIZER) == [4]


@pytest.mark.parametrize("before", ["count(head)", "body = Body([head])"])
def test_a_model_may_have_the_parameters_of_what_unseen_code_was_given(before: str) -> None:
    program = BESIDE.format(before=before, parameters="body.parameters()")
    assert rows(program, Pitfall.NO_OPTIMIZER) == []


def test_a_module_of_known_and_unknown_parts_is_known_but_for_these() -> None:
    net = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
    net += "        self.inner, self.outer = Body(), nn.Linear(4, 4)\n"
    net += "    def forward(self, x):\n        return self.outer(self.inner(x))\nbody = Net()"
    program = BESIDE.format(before=net, parameters="body.parameters()")
    assert rows(program, Pitfall.NO_OPTIMIZER) == [4]


def test_the_copy_of_a_model_that_a_loss_compares_it_with_gets_a_gradient() -> None:
    program = """
    from models import Net
    online = Net()
    optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
    target = copy.deepcopy(online)
    for x, y in loader:
        loss = F.mse_loss(online(x), y + 0.9 * {target})
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """
    assert rows(program.format(target="target(x)"), Pitfall.TARGET_LEARNS) == [7]
    assert rows(program.format(target="target(x).detach()"), Pitfall.TARGET_LEARNS) == []


LOSSES = """
import torch
from torch.utils.data import DataLoader
from models import Net, compute_loss, evaluate
from data import Words

model = Net().to("cuda")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total, history = 0, []
for batch in DataLoader(Words(), 8):
    {loss}
    {clears}
    loss.backward()
    optimizer.step()
    {keeps}
"""


def kept(loss: str, clears: str = "optimizer.zero_grad()", keeps: str = "pass") -> list[str]:
    text = LOSSES.format(loss=loss, clears=clears, keeps=keeps)
    return [one.kind.value for one in analyse(Source("a.py", text)) if one.weight <= 1]


@pytest.mark.parametrize(
    "loss",
    [
        "loss = model(**batch).loss",
        "loss = model(batch['x'], batch['y']).mean()",
        "loss = sum(model(batch['x']).values())",
        "loss = 0\n    for out in model(batch['x']):\n        loss = loss + out.mean()",
        "loss = compute_loss(model, batch)",
        "loss, _ = compute_loss(model, batch)",
    ],
)
def test_a_loss_that_unknown_code_computes_with_a_model_has_its_graph(loss: str) -> None:
    assert kept(loss) == []
    assert kept(loss, clears="pass") == ["missing-zero-grad"]
    assert kept(loss, keeps="optimizer.zero_grad(); history.append(loss)") == ["graph-kept"]
    assert kept(loss, keeps="history.append(loss.item())") == []


def test_what_a_model_is_evaluated_to_is_no_tensor_unless_it_is_used_as_one() -> None:
    loss = "loss = compute_loss(model, batch)"
    assert kept(loss, keeps="total += evaluate(model, batch)") == []
    assert kept(loss, keeps="history.append(evaluate(model, batch) * 100)") == []


EVALUATED = """
import torch
from torch.utils.data import DataLoader
from models import Net, Agent
from data import Images

model = {made}
model.load_state_dict(torch.load("weights.pt"))
model.eval()
right = []
for x, y in DataLoader(Images(), 8):
    right.append(({call}.argmax(1) == y).sum().item())
print(right)
"""


@pytest.mark.parametrize(
    ("made", "call", "found"),
    [
        ("Net()", "model(x)", ["evaluation-builds-graphs"]),
        ("Agent()", "model.act(x)", []),
    ],
)
def test_what_is_put_into_evaluation_mode_and_called_is_a_module(
    made: str, call: str, found: list[str]
) -> None:
    faults = analyse(Source("a.py", EVALUATED.format(made=made, call=call)))
    assert [one.kind.value for one in faults if one.weight <= 1] == found


LISTED = """
from library import Judge

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.judges = {container}

net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
out = net.judges{one}(torch.ones(3))
out.mean().backward(retain_graph=True)
optimizer.step()
out.sum().backward()
"""


@pytest.mark.parametrize(
    ("container", "one"),
    [("nn.ModuleList([Judge(), Judge()])", "[0]"), ('nn.ModuleDict({"a": Judge()})', '["a"]')],
)
def test_what_a_container_of_modules_holds_has_parameters(container: str, one: str) -> None:
    assert kinds(LISTED.format(container=container, one=one)) == ["saved-tensor-modified"]
    plain = container.partition("(")[2].removesuffix(")")
    assert kinds(LISTED.format(container=plain, one=one)) == []


STEPPED_BETWEEN = """
def fit(estimator, loader):
    optimizer = torch.optim.Adam(estimator.parameters())
    pose = estimator({given})
    for batch in loader:
        loss = (pose - batch).square().mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()
"""


@pytest.mark.parametrize(("given", "saves"), [("torch.ones(2)", True), ("1", False), ("", False)])
def test_a_module_that_is_given_a_number_may_hand_over_a_parameter(given: str, saves: bool) -> None:
    assert ("saved-tensor-modified" in kinds(STEPPED_BETWEEN.format(given=given))) is saves
