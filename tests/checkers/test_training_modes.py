"""Modules that are validated in training mode."""

import pytest

from tests.vm.running import kinds

TEXT = """
import torch.nn.functional as F

net = nn.Sequential(nn.Linear(4, 4), {layer}, nn.Linear(4, 2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
labels = torch.zeros(8, dtype=torch.long)
training, others = [torch.ones(8, 4)] * 3, [torch.zeros(8, 4)] * 3

def validate(batches):
    measured = 0.0
    {mode}
    with torch.no_grad():
        for x in batches:
            {measure}
    return measured

for epoch in range(2):
    net.train()
    for x in training:
        loss = F.cross_entropy(net(x), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        {inside}
    validate({given})
"""
ACCURACY = "measured += (net(x).argmax(1) == labels).sum().item()"


def text(
    measure: str = ACCURACY,
    layer: str = "nn.Dropout(0.5)",
    mode: str = "pass",
    inside: str = "pass",
    given: str = "others",
) -> str:
    """A program that trains and validates in each epoch."""
    return TEXT.format(layer=layer, mode=mode, measure=measure, inside=inside, given=given)


@pytest.mark.parametrize("layer", ["nn.Dropout(0.5)", "nn.BatchNorm1d(4)"])
def test_a_module_is_measured_in_training_mode(layer: str) -> None:
    assert kinds(text(layer=layer)) == ["validated-in-training-mode"]


@pytest.mark.parametrize(
    "measure",
    [
        "measured += F.cross_entropy(net(x), labels).item()",
        "out = net(x); measured += out.argmax(1).eq(labels).sum().item()",
        "scores = net(x).max(1)[1]; measured += (scores != labels).sum().item()",
    ],
)
def test_there_are_several_ways_to_measure(measure: str) -> None:
    assert kinds(text(measure)) == ["validated-in-training-mode"]


def test_grad_mode_does_not_matter() -> None:
    recorded = text().replace("with torch.no_grad()", "if True")
    assert "validated-in-training-mode" in kinds(recorded)


@pytest.mark.parametrize("mode", ["net.eval()", "net.train(False)"])
def test_evaluation_mode_is_quiet(mode: str) -> None:
    assert kinds(text(mode=mode)) == []


def test_who_asks_for_training_mode_in_a_validation_means_it() -> None:
    assert kinds(text(mode="net.train()")) == []


def test_a_mode_that_no_layer_asks_for_does_not_matter() -> None:
    assert kinds(text(layer="nn.Tanh()")) == []


@pytest.mark.parametrize("measure", ["net(x)", "measured += net(x).max(1)[0].sum().item()"])
def test_what_is_compared_with_nothing_is_no_measure(measure: str) -> None:
    """Statistics may be gathered, samples drawn."""
    assert kinds(text(measure).replace("validate", "sample")) == []


def test_what_a_function_that_is_named_so_runs_without_grad_mode_is_validated() -> None:
    gathered = text("outputs.append(net(x))").replace("measured = 0.0", "outputs = []")
    assert kinds(gathered) == ["validated-in-training-mode"]
    assert kinds(gathered.replace("validate", "latest_outputs")) == []
    recorded = gathered.replace("with torch.no_grad()", "if True")
    assert "validated-in-training-mode" not in kinds(recorded)


def test_an_optimizer_that_unknown_code_makes_is_taken_to_update_the_module() -> None:
    made = text().replace("torch.optim.SGD(", "build_optimizer(")
    assert kinds("from factory import build_optimizer\n" + made) == ["validated-in-training-mode"]


@pytest.mark.parametrize(
    ("forward", "told"),
    [
        ("F.dropout(x, self.rate, training=self.training)", True),
        ("F.dropout(x, self.none, training=self.training)", False),
        ("self.head(x) if self.training else x", True),
        ("self.noisy(x)", True),
        ("x", False),
    ],
)
def test_the_code_of_a_module_goes_by_its_mode(forward: str, told: bool) -> None:
    own = f"""
import torch.nn.functional as F

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.head = nn.Linear(4, 2), nn.Linear(2, 2)
        self.rate, self.none = 0.5, 0.0

    def noisy(self, x):
        return F.dropout(x, training=self.training)

    def forward(self, x):
        x = self.layer(x)
        return {forward}
"""
    made = text(layer="nn.Tanh()").replace("net = nn.Sequential(", "net = Net()  # (")
    assert kinds(own + made) == (["validated-in-training-mode"] if told else [])


@pytest.mark.parametrize(
    ("layer", "told"),
    [
        ("nn.TransformerEncoderLayer(4, 2)", True),
        ("nn.TransformerEncoderLayer(4, 2, dropout=0.0)", False),
        ("nn.RReLU()", True),
    ],
)
def test_layers_that_drop_inside(layer: str, told: bool) -> None:
    assert kinds(text(layer=layer)) == (["validated-in-training-mode"] if told else [])


def test_the_name_of_a_file_is_nothing_to_measure_by() -> None:
    saved = "save_image(net(x), '%s/fake.png' % (folder,)); measured += 1"
    assert kinds(text(saved).replace("validate", "sample")) == []


@pytest.mark.parametrize(
    "saved",
    [
        "name = '{}/fake.png'.format(folder); save_image(net(x), name); measured += 1",
        "save_image(torch.cat((net(x), labels), -2), 'fake.png'); measured += 1",
    ],
)
def test_a_picture_is_not_measured_by_a_name_or_a_signed_number(saved: str) -> None:
    assert kinds(text(saved).replace("validate", "sample")) == []


def test_targets_for_a_training_may_be_computed_in_its_mode() -> None:
    measure = "F.mse_loss(net(x), guess); optimizer.zero_grad(); loss.backward(); optimizer.step()"
    targets = f"with torch.no_grad(): guess = net(x + 1)\n        loss = {measure}"
    assert kinds(text("pass", inside=targets)) == []


def test_the_batch_that_was_trained_on_may_be_measured_in_its_mode() -> None:
    accuracy = "print((net(x).argmax(1) == labels).sum().item())"
    assert kinds(text("pass", inside=f"with torch.no_grad(): {accuracy}")) == []


def test_a_module_that_is_not_trained_may_be_in_any_mode() -> None:
    other = text().replace("optimizer =", "other = nn.Linear(4, 2)\noptimizer =")
    assert (
        kinds(
            other.replace("net.parameters()", "other.parameters()").replace(
                "cross_entropy(net(x)", "cross_entropy(other(x)"
            )
        )
        == []
    )


STEP = """
net = nn.Sequential(nn.Linear(2, 2), nn.BatchNorm1d(2))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)

def step(x, y):
    with torch.autocast("cpu"):
        out = net(x)
        right = (out.argmax(1) == y).sum().item()
        loss = F.cross_entropy(net(x + 1), y)
    {behind}
    return right

for x, y in DataLoader(TensorDataset(torch.ones(8, 2), torch.zeros(8).long()), 4):
    optimizer.zero_grad()
    step(x, y)
    F.cross_entropy(net(x + 2), y).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(("behind", "told"), [("loss.backward()", False), ("pass", True)])
def test_what_a_function_measures_before_it_runs_backward_belongs_to_its_training(
    behind: str, told: bool
) -> None:
    text = "from torch.utils.data import DataLoader, TensorDataset\n"
    found = kinds(text + STEP.format(behind=behind))
    assert ("validated-in-training-mode" in found) is told


LANGUAGE = """
class Language(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Embedding(9, 4), nn.Dropout(0.2), nn.Linear(4, 9))

    def forward(self, x, targets):
        scores = self.layers(x)
        return scores, nn.functional.cross_entropy(scores, targets)

net = Language()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
{given}

@torch.no_grad()
def {name}():
    {mode}
    losses = torch.zeros(20)
    for k in range(20):
        scores, {result} = net(*{batch})
        losses[k] = {result}.item()
    net.train()
    return losses.mean()

for step in range(100):
    if step % 10 == 0:
        {name}()
    scores, loss = net(*batch())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
DRAWN = """
def batch():
    return torch.randint(9, (8,)), torch.randint(9, (8,))
"""
ONE = """
everything = torch.randint(9, (8,)), torch.randint(9, (8,))

def batch():
    return everything
"""


def language(
    name: str = "estimate", mode: str = "pass", result: str = "loss", given: str = DRAWN
) -> list[str]:
    """What is told of a model that computes its own loss."""
    told = LANGUAGE.format(name=name, mode=mode, result=result, given=given, batch="batch()")
    return kinds(told)


def test_a_loss_that_the_module_computes_itself_is_a_measure() -> None:
    assert language() == ["validated-in-training-mode"]
    assert language(mode="net.eval()") == []
    assert language(result="state") == []


def test_who_is_named_as_what_evaluates_may_do_so_on_the_data_of_the_training() -> None:
    assert language(name="evaluate", given=ONE) == ["validated-in-training-mode"]
    assert language(name="estimate", given=ONE) == []


def test_parameters_that_the_program_moves_by_hand_are_trained() -> None:
    by_hand = "for p in net.parameters(): p.data.add_(p.grad, alpha=-0.1)"
    moved = text().replace("optimizer.step()", by_hand)
    moved = moved.replace("optimizer = torch.optim.SGD(net.parameters(), lr=0.1)", "")
    moved = moved.replace("optimizer.zero_grad()", "net.zero_grad()")
    assert kinds(moved) == ["validated-in-training-mode"]
    assert kinds(moved.replace(by_hand, "pass")) == []
