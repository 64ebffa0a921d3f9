"""What runs code that nothing in its file runs."""

import pytest

from autograd_lint.evidence.wording import worded
from tests.vm.running import faults, kinds

RESIDUAL = """
class Block(nn.Module):
    def __init__(self, width, {flag}):
        super().__init__()
        self.act = nn.{act}()
        self.residual = residual

    def forward(self, x):
        y = self.act(x)
        if self.residual:
            y += x
        return y
"""


def test_a_module_is_trained() -> None:
    assert kinds(RESIDUAL.format(flag="residual=True", act="Sigmoid")) == ["saved-tensor-modified"]


def test_a_flag_is_tried_both_ways() -> None:
    (fault,) = faults(RESIDUAL.format(flag="residual=False", act="Sigmoid"))
    assert any("residual" in worded(assumption) for assumption in fault.assumptions)


def test_what_keeps_only_its_input_may_be_written() -> None:
    assert kinds(RESIDUAL.format(flag="residual=True", act="GELU")) == []


def test_arguments_that_are_refused_are_no_reason_to_give_up() -> None:
    text = (
        "class A(nn.Module):\n"
        "    def __init__(self, n):\n"
        "        super().__init__()\n"
        "        if n != 3 or n == 4:\n"
        "            pass\n"
        "        raise ValueError\n"
        "    def forward(self, x):\n"
        "        y = x.exp()\n"
        "        y += 1\n"
        "        return y\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


STATE = """
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)
        self.h = torch.zeros(1, 3)

    def forward(self, x):
        self.h = self.cell(x, self.h{cut})
        return self.h
"""


def test_state_that_carries_its_graph() -> None:
    (fault, *_) = faults(STATE.format(cut=""))
    assert (fault.kind.value, fault.carried) == ("graph-freed", True)


def test_state_that_is_detached() -> None:
    assert kinds(STATE.format(cut=".detach()")) == []


def test_one_bad_method_does_not_hide_another() -> None:
    text = (
        "class A:\n"
        "    def first(self):\n"
        "        w = torch.ones(3, requires_grad=True)\n"
        "        w += 1\n"
        "    def second(self):\n"
        "        w = torch.ones(3, requires_grad=True)\n"
        "        w[0] = 1\n"
    )
    assert kinds(text) == ["leaf-modified", "leaf-view-modified"]


def test_a_result_in_an_object_of_the_caller() -> None:
    text = (
        "def normalize(data):\n"
        "    pos = data.pos.sigmoid()\n"
        "    pos += 1\n"
        "    data.pos = pos\n"
        "    return data\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


def test_a_private_helper_is_left_to_its_callers() -> None:
    text = (
        "def _helper(x, inplace):\n"
        "    y = x.exp()\n"
        "    if inplace:\n"
        "        y += 1\n"
        "    return y\n"
        "class A:\n"
        "    def run(self, x):\n"
        "        return _helper(x, False)\n"
    )
    assert kinds(text) == []


def test_a_private_method_that_only_other_files_call_is_run_by_a_harness() -> None:
    """Each class has one, for a base class that is not known."""
    method = (
        "    def _scaled(self, x):\n        y = x.exp()\n        y {write} x\n        return y\n"
    )
    classes = [("A", "*="), ("B", "= y *")]
    text = "".join(f"class {name}:\n" + method.format(write=write) for name, write in classes)
    assert kinds("from base import Base\n" + text) == ["saved-tensor-modified"]


TRAINER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.P = nn.Parameter(torch.ones(3))

class Trainer:
    def __init__(self):
        self.net = None

    def project(self):
        self.net.P[0] = 1

    def {prepare}(self):
        self.net = Net()
"""


def test_what_prepares_an_object_comes_first() -> None:
    assert kinds(TRAINER.format(prepare="setup")) == ["leaf-view-modified"]


def test_what_does_not_prepare_comes_in_its_turn() -> None:
    assert kinds(TRAINER.format(prepare="zebra")) == []


LIGHTNING = """
import lightning

class Lit(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)
        self.h = torch.zeros(1, 3)

    def {name}(self, batch, index):
        self.h = self.cell(batch, self.h)
        return self.h.sum()
"""


def test_the_step_of_a_framework_is_trained() -> None:
    assert kinds(LIGHTNING.format(name="training_step")) == ["graph-freed"]


def test_a_step_that_is_not_trained() -> None:
    assert kinds(LIGHTNING.format(name="validation_step")) == []


VALIDATED = """
import lightning

class Part(nn.Module):
    def forward(self, x):
        if self.training:
            x.register_hook(print)
        return x

class Lit(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer, self.part = nn.Linear(3, 3), Part()

    def {name}(self, batch, index):
        return self.part({given}).sum()
"""


@pytest.mark.parametrize(
    ("name", "given", "told"),
    [
        ("validation_step", "self.layer(batch)", []),
        ("training_step", "self.layer(batch)", []),
        ("training_step", "torch.ones(3)", ["other"]),
    ],
)
def test_a_framework_validates_in_evaluation_mode(name: str, given: str, told: list[str]) -> None:
    assert kinds(VALIDATED.format(name=name, given=given)) == told


UPDATE = """
from nets import Net

class Average:
    def __init__(self):
        self.model = Net()

    {decorator}
    def update(self):
        if self.model.ready:
            self.apply()

    def apply(self):
        for p in self.model.parameters():
            p.mul_(0.9)
"""


def test_a_method_that_is_only_called_without_grad() -> None:
    assert kinds(UPDATE.format(decorator="@torch.no_grad()")) == []


def test_a_method_that_is_called_with_grad() -> None:
    assert kinds(UPDATE.format(decorator="")) == ["leaf-modified"]


def test_a_run_that_ends_in_an_exception_takes_another_turn() -> None:
    text = (
        "def reduce(x, how):\n"
        "    y = x.exp()\n"
        "    y += 1\n"
        "    if how == 'sum':\n"
        "        return y.sum()\n"
        "    if how == 'none':\n"
        "        return y\n"
        "    raise ValueError(how)\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


SOLVER = """
class Solver:
    def __init__(self, function, state):
        self.function = function
        self.state = state.sigmoid()

    def _step(self, time):
        self.state = self.state * torch.exp(self.state)
        return self.state

    def advance(self, time):
        return self._step(time)

    def last(self, time):
        return self._step(time)
"""


def test_between_calls_of_an_objects_methods_there_need_be_no_backward() -> None:
    assert kinds(SOLVER) == []


KEPT = """
class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.keys = None
{clear}
    def forward(self, x):
        if self.keys is None:
            self.keys = self.layer(x)
        return (self.keys * x).softmax(-1)
"""


def test_what_the_caller_can_clear_is_cleared_between_steps() -> None:
    clear = "    def clear(self):\n        self.keys = None\n"
    assert kinds(KEPT.format(clear="")) == ["graph-freed"]
    assert kinds(KEPT.format(clear=clear)) == []


BASIS = """
class Transform(nn.Module):
    def __init__(self, window):
        super().__init__()
        basis = torch.eye(3)
        self.window = nn.Parameter(torch.ones(3))
        basis *= {by}.unsqueeze(0)
        self.{keep}

    def forward(self, x):
        return (x * self.basis).softmax(-1)
"""


def test_who_registers_a_buffer_takes_it_for_data() -> None:
    keep = "register_buffer('basis', basis)"
    assert kinds(BASIS.format(by="self.window", keep="basis = basis")) == ["graph-freed"]
    assert kinds(BASIS.format(by="window", keep=keep)) == []


def test_what_a_module_is_made_with_is_data() -> None:
    assert kinds(BASIS.format(by="window", keep="basis = basis")) == []


def test_an_object_that_copies_itself_knows_how() -> None:
    text = (
        "import copy\n"
        "class Model:\n"
        "    def __init__(self):\n"
        "        self.layer = nn.Linear(3, 3)\n"
        "        self.mean = self.layer(torch.ones(3))\n"
        "{own}"
        "model = Model()\n"
        "copy.deepcopy(model)\n"
        "model.mean.sum().backward()\n"
    )
    own = "    def __deepcopy__(self, memo):\n        return Model()\n"
    assert kinds(text.format(own=own)) == []
    assert kinds(text.format(own="")) == ["other"]


def test_an_asserted_error_is_no_finding() -> None:
    text = (
        "class Case:\n"
        "    def test(self):\n"
        "        with self.{assertion}(RuntimeError):\n"
        "            torch.ones(3).sum().backward()\n"
    )
    assert kinds(text.format(assertion="assertRaises")) == []
    assert kinds(text.format(assertion="subTest")) == ["no-grad-root"]


UNAPPLIED = """
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, {more}):
        ctx.save_for_backward(x)
        return x * 2
    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * {used}, None
"""


def test_a_custom_function_that_nobody_applies_is_applied() -> None:
    assert kinds(UNAPPLIED.format(more="k", used="x.mul_(2)")) == ["saved-tensor-modified"]
    assert kinds(UNAPPLIED.format(more="k", used="x.mul(2)")) == []


def test_how_many_gradients_it_returns_is_known_from_its_parameters() -> None:
    assert kinds(UNAPPLIED.format(more="k, m", used="x.mul(2)")) == ["custom-function"]
    assert kinds(UNAPPLIED.format(more="*rest", used="x.mul(2)")) == []


def test_results_are_followed_into_the_objects_they_went_into() -> None:
    text = (
        "class Root:\n"
        "    def __init__(self, value):\n"
        "        self.value = value\n"
        "def root(x):\n"
        "    y = x.exp()\n"
        "    y.clamp_(min=0)\n"
        "    return Root(y)\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


def test_what_compares_tensors_returns_no_empty_tuple() -> None:
    text = (
        "def check(x):\n"
        "    y = x.exp()\n"
        "    if not torch.equal(y, y):\n"
        "        raise ValueError\n"
        "    y.clamp_(min=0)\n"
        "    return y\n"
    )
    assert kinds(text) == ["saved-tensor-modified"]


TERMS = """
class Strategy(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.loss = None

    def forward(self, x):
        y = self.layer(x).exp()
        self.loss = y.sum()
        return y

    def fit(self):
        if self.loss is not None:
            self.loss.backward()
"""


def test_what_a_step_leaves_behind_is_no_step_of_its_own() -> None:
    assert kinds(TERMS) == []


DECODER = """
class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 3)
        self.state = {{}}

    def start(self, x):
        self.state["hidden"] = x

    def cut(self):
        self.state["hidden"] = self.state["hidden"].{cut}()

    def forward(self, x):
        self.state["hidden"] = self.cell(x, self.state["hidden"])
        return self.state["hidden"]
"""


def test_who_trains_a_module_calls_what_cuts_its_state_off() -> None:
    assert kinds(DECODER.format(cut="detach")) == []
    assert kinds(DECODER.format(cut="clone")) == ["graph-freed"]


AGENT = """
class Agent:
    def __init__(self, world):
        self.world, self.done = world, False
        self.policy = nn.Linear(3, 3)
        self.logs = []

    def run(self):
        while not self.done:
            self.logs.append(self.policy(torch.ones(3)).exp())
            self.done = self.world.step()
            if {learns}:
                self.learn()

    def learn(self):
        torch.cat(self.logs).sum().backward()
"""


def test_a_loop_ends_when_what_it_waits_for_has_been_found_to_hold() -> None:
    assert kinds(AGENT.format(learns="self.done")) == []
    assert "graph-freed" in kinds(AGENT.format(learns="self.world.pauses()"))


WHOLE_STEP = """
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Linear(2, 1)

    def forward(self, x):
        loss = self.net(x).exp().sum()
        {differentiate}
        return loss
"""


def test_a_forward_that_runs_backward_itself_is_not_trained_again() -> None:
    assert kinds(WHOLE_STEP.format(differentiate="loss.backward()")) == []


def test_a_forward_that_computes_a_gradient_is_trained() -> None:
    asked = "torch.autograd.grad(loss, [self.net.weight])"
    assert kinds(WHOLE_STEP.format(differentiate=asked)) == ["graph-freed"]


OPEN = """
class Critic(nn.Module):
    def judge(self, images):
        {body}

    def learn(self, images, maker, optimizer):
        made = maker(images).detach()
        wanted = torch.ones(3)
        loss = nn.functional.binary_cross_entropy_with_logits(self.judge(made), wanted)
        loss.backward()
        optimizer.step()
"""


def test_a_method_that_is_left_to_other_classes_returns_something() -> None:
    assert kinds(OPEN.format(body="pass")) == []
    assert kinds(OPEN.format(body="return torch.ones(3)")) == ["no-grad-root"]


OPTIONAL = """
def learn(model, criterion, x):
    total = 0
    if criterion:
        total += criterion(model(x))
    total.backward()
"""


def test_a_sum_to_which_one_path_adds_nothing() -> None:
    assert kinds(OPTIONAL) == []


CALLED = """
class Net(nn.Module):
    exported = False

    def forward(self, x):
        return self.scaled(x) if self.exported else x * 2

    def scaled(self, x):
        y = x.exp()
        y *= 2
        return y
{also}
"""


def test_what_a_module_calls_itself_but_not_in_training_is_hardly_trained() -> None:
    assert kinds(CALLED.format(also="")) == []
    free = CALLED.format(also="").replace("self.scaled(x) if self.exported else x * 2", "x * 2")
    assert kinds(free) == ["saved-tensor-modified"]


KIND = """
x = w = torch.ones(3, requires_grad=True) * 2
if type(x) is {kind}:
    y = x.sigmoid()
    y *= 2
    y.sum().backward()
"""


def test_the_type_of_a_tensor_is_known() -> None:
    assert kinds(KIND.format(kind="list")) == []
    assert kinds(KIND.format(kind="torch.Tensor")) == ["saved-tensor-modified"]


SETTINGS = """
def parsed(path):
    blocks = []
    for line in open(path).read().split():
        if line.startswith("["):
            blocks.append({{"type": line}})
    return blocks

class Net(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.blocks = parsed(path)
        self.layer = nn.Linear(3, 3)

    def forward(self, x):
        found = []
        for block in self.blocks:
            if block["type"] == "plain":
                x = self.layer(x)
            elif block["type"] == "result":
                found.append(self.layer(x))
        return found

def loss_of(results):
    loss = torch.zeros(1)
    for result in {results}:
        loss += result.mean()
    return loss

def learn(path, x):
    net = Net(path)
    loss_of(net(x)).backward()
"""


def test_what_a_path_never_filled_is_hardly_meant_to_be_empty() -> None:
    assert kinds(SETTINGS.format(results="results")) == []
    assert kinds(SETTINGS.format(results="[]")) == ["no-grad-root"]


RECURRENT = """
class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell = nn.LSTM(2, 3)
        self.state = (torch.zeros(1, 3), torch.zeros(1, 3))

    def forward(self, x):
        out, self.state = self.cell(x, self.state)
        return out

    def {method}
"""


def test_what_a_method_sets_anew_is_new_in_each_step() -> None:
    reset = "reset(self):\n        self.state = (torch.zeros(1, 3), torch.zeros(1, 3))"
    assert kinds(RECURRENT.format(method=reset)) == []
    joined = reset.replace("(torch.zeros(1, 3), ", "torch.cat(\n            (torch.zeros(1, 3), ")
    joined += ")"
    assert kinds(RECURRENT.format(method=joined)) == []
    grown = "grow(self):\n        self.state = torch.cat([self.state, torch.zeros(1, 3)])"
    assert kinds(RECURRENT.format(method=grown)) == ["graph-freed"]
    shown = "shown(self):\n        return torch.zeros(1, 3), self.state"
    assert kinds(RECURRENT.format(method=shown)) == ["graph-freed"]


RESET = """
class Neuron(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(2, 2)
        self.state = self.steps = 0.0
        self.reset()

    def reset(self):
        {begun} = 0.0

    def forward(self, x):
        self.state = torch.tanh(self.state + self.inner(x))
        return self.state
"""


def test_what_a_constructor_begins_with_may_be_begun_anew_in_each_step() -> None:
    assert kinds(RESET.format(begun="self.state")) == []
    assert "graph-freed" in kinds(RESET.format(begun="self.steps"))


STORING = """
class Cell(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.states = nn.Linear(3, 3), []
        self.start()

    def start(self):
        self.states = {anew}

    def forward(self, x):
        x = self.layer(x)
        if self.states:
            x = x * self.states[-1]
        self.states.append(x)
        return x
"""


def test_a_list_that_a_method_of_the_module_empties_is_empty_in_each_step() -> None:
    assert kinds(STORING.format(anew="[]")) == []
    assert "graph-freed" in kinds(STORING.format(anew="self.states[-1:]"))


EVALUATION = """
import pytorch_lightning as pl
class Net(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)

    def {hook}(self, batch, index):
        return self.layer(torch.ones(3)).numpy()
"""


def test_lightning_evaluates_without_grad_mode() -> None:
    assert kinds(EVALUATION.format(hook="validation_step")) == []
    assert kinds(EVALUATION.format(hook="training_step")) == ["numpy-on-grad"]


FALLING_THROUGH = """
def loss_of(kind, a, b):
    if kind == "square":
        return nn.functional.mse_loss(a, b)
    elif kind == "absolute":
        return nn.functional.l1_loss(a, b)
    return torch.tensor(0.0)

def learn(kind, a):
    if kind == "absolute":
        raise ValueError
    loss_of(kind, nn.Linear(3, 3)(a), a).backward()
"""


def test_a_loss_that_falls_through_all_its_cases() -> None:
    assert kinds(FALLING_THROUGH) == []


RECURRENT_AGENT = """
class Agent:
    def __init__(self, policy):
        self.net = nn.GRUCell(2, 2)
        self.optimizer = torch.optim.Adam(self.net.parameters())
        self.seen = torch.zeros(1, 2)

    def act(self, x):
        self.seen = self.net(x, {state})
        return self.seen.detach()

    def learn(self, reward):
        self.optimizer.zero_grad()
        (self.seen.sum() * reward).sum().backward()
        self.optimizer.step()
"""


def test_between_two_steps_other_methods_set_what_they_are_there_to_set() -> None:
    assert kinds(RECURRENT_AGENT.format(state="torch.zeros(1, 2)")) == []


def test_what_they_carry_on_from_the_step_before_is_found() -> None:
    (fault,) = faults(RECURRENT_AGENT.format(state="self.seen"))
    assert (fault.kind.value, fault.carried) == ("graph-freed", True)


ADAPTING = """
class Adapted(nn.Module):
    def __init__(self):
        super().__init__()
        self.reset()
    def reset(self):
        self.context = torch.zeros(3, requires_grad=True)
    def forward(self, x):
        return x * self.context
    def adapt(self, x):
        return torch.autograd.grad(self(x).sum(), self.context)
"""


def test_a_leaf_that_a_method_sets_anew_still_requires_grad() -> None:
    assert "unused-input" not in kinds(ADAPTING)
    assert "no-grad-root" not in kinds(ADAPTING)


UNREACHED = """
def step(model, batches, optimizer):
    total = 0
    for batch in batches:
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(batch), batch)
        loss.backward()
        optimizer.step()
        total += loss
    return total

def main():
    {first}
    step(library.model(), library.batches(), library.optimizer())
"""


def test_a_step_that_its_caller_does_not_get_to_is_run_by_a_harness() -> None:
    assert kinds(UNREACHED.format(first="raise SystemExit")) == ["graph-kept"]
    assert kinds(UNREACHED.format(first="pass")) == ["graph-kept"]


COMPILED = """
class Mask(nn.Module):
    def __init__(self):
        super().__init__()
        self.scores = nn.Parameter(torch.zeros(3))

    def forward(self, x):
        if {mode}:
            return x * self.scores.sigmoid()
        mask = self.scores.sigmoid()
        mask[mask < 0.5] = 0
        return x * mask
"""


def test_nobody_trains_what_only_evaluation_computes() -> None:
    assert kinds(COMPILED.format(mode="self.training")) == []
    assert kinds(COMPILED.format(mode="len(x) > 3")) == ["saved-tensor-modified"]


TRIED = """
class Block(nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        y.mul_(2)
        return y

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = Block()

    def forward(self, x):
        return self.block(x)

net = Net()
{tried}
"""


def test_a_model_that_is_only_tried_out_is_trained_elsewhere() -> None:
    assert kinds(TRIED.format(tried="print(net(torch.randn(2, 3)).shape)")) == [
        "saved-tensor-modified"
    ]


EVALUATED = """net.eval()
with torch.no_grad():
    print(net(torch.randn(2, 3)).shape)"""


def test_a_model_that_is_evaluated_before_it_has_learned_anything_is_tried_out() -> None:
    assert kinds(TRIED.format(tried=EVALUATED)) == ["saved-tensor-modified"]


def test_a_model_that_was_loaded_and_is_evaluated_is_used() -> None:
    tried = 'net.load_state_dict(torch.load("net.pt"))\n' + EVALUATED
    assert kinds(TRIED.format(tried=tried)) == []


def test_a_model_that_begins_with_weights_of_others_is_still_to_be_trained() -> None:
    begins = TRIED.replace(
        "    def forward(self, x):\n        return self.block(x)",
        "        self.load_state_dict(torch.load('begun.pt'))\n"
        "    def forward(self, x):\n        return self.block(x)",
    )
    assert kinds(begins.format(tried=EVALUATED)) == ["saved-tensor-modified"]


def test_a_model_that_fails_where_it_is_tried_out_is_told_of_once() -> None:
    text = TRIED.replace("y.mul_(2)", "y.mul_(2)\n        x.sum().backward()")
    tried = "net(torch.randn(2, 3))"
    assert kinds(text.format(tried=tried)) == ["no-grad-root"]


MEASURE = """
from {package} import Metric
class Likelihood(Metric):
    def __init__(self):
        super().__init__()
        self.add_state("total", torch.tensor(0.0))
        self.add_state("count", torch.tensor(0.0))
    def update(self, given, labels):
        self.total += torch.nn.functional.nll_loss(given.log(), labels, reduction="sum")
        self.count += (labels != 3).sum()
    def compute(self):
        return self.total / self.count
"""


def test_metrics_are_updated_without_grad_mode() -> None:
    assert kinds(MEASURE.format(package="torchmetrics")) == []
    assert kinds(MEASURE.format(package="measuring")) == ["graph-freed"]


TUNED = """
class Tuned:
    def __init__(self):
        self.begin()

    def begin(self):
        self.scale = torch.zeros(1, requires_grad=True)
        {optimizer} = torch.optim.Adam([self.scale])

    def learn(self, batch):
        {optimizer}.zero_grad()
        (self.scale.exp() * batch).sum().backward()
        {optimizer}.step()
        self.scale = self.scale.clamp(-5, 4)
"""


def test_a_method_that_makes_an_optimizer_is_not_called_between_steps() -> None:
    assert "graph-freed" in kinds(TUNED.format(optimizer="self.optimizer"))


@pytest.mark.parametrize("start", ["x", "x * 2", "x.mean"])
def test_a_result_that_was_found_to_be_a_tensor_and_written(start: str) -> None:
    text = (
        "def clipped(x):\n"
        f"    y = {start}\n"
        "    size = y.{norm}\n"
        "    y[0] = size * 2\n"
        "    return y\n"
    )
    assert kinds(text.replace("{norm}", "norm(dim=-1)")) == ["saved-tensor-modified"]
    assert kinds(text.replace("{norm}", "detach().norm(dim=-1)")) == []


LEARNER = """
class Learner:
    def __init__(self, model, rate):
        self.model = model
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=rate)
    def learn(self, x, y):
        return self._learn(x, y)
    def _learn(self, x, y):
        loss = nn.functional.mse_loss(self.model.value(x), y)
        self.optimizer.zero_grad()
        {learnt}
        self.optimizer.step()
        return loss
"""


def test_a_loss_that_a_helper_has_run_backward_on_is_not_trained_again() -> None:
    assert kinds(LEARNER.format(learnt="loss.backward()")) == []


FUSED = """
class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 2)
    def forward(self, x):
        return self.layer(x)
    def fused(self, x):
        found = []
        if not self.training:
            y = self.layer(x).sigmoid()
            y[..., 0:1] = y[..., 0:1] * 2
            found.append(y)
        return found
    def folded(self, x):
        y = self.layer(x).sigmoid()
        y[..., 0:1] = y[..., 0:1] * 2
        return [y]
"""


def test_what_a_method_computes_outside_of_training_is_hardly_trained() -> None:
    told = faults(FUSED)
    assert {fault.modified.place.row for fault in told if fault.modified} == {19}


DENSE = """
class Conv(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 2, 3)
        self.spread = torch.eye(9).reshape(9, 1, 3, 3)
        self.dense = self.conv(self.spread)

    def {name}(self):
        self.dense = {anew}

    def forward(self, x):
        return x.clone().mul_(2) @ self.dense
"""


def test_between_two_steps_methods_compute_anew_what_a_module_keeps() -> None:
    assert kinds(DENSE.format(name="convert", anew="self.conv(self.spread)")) == []
    assert kinds(DENSE.format(name="shrink", anew="self.dense / 2")) == ["graph-freed"]
    assert kinds(DENSE.format(name="_convert", anew="self.conv(self.spread)")) == ["graph-freed"]


ANALYSED = """
class Net(nn.Module):
    def __init__(self, path):
        super().__init__()
        self.inner = torch.hub.load(path, "net")
        self.kept = None

    def forward(self, x):
        y = self.inner(x)
        assert y.dim() == 3
        self.kept = y
        return y.clone().mul_(2)

    def analysis(self, output):
        {read}
        return output
"""


def test_what_a_step_of_an_unknown_model_leaves_behind_is_for_its_own_loss() -> None:
    assert kinds(ANALYSED.format(read="output['kept'] = self.kept.cpu()")) == []
    used = "output['kept'] = self.inner(output['x']).exp().mul_(2)"
    assert kinds(ANALYSED.format(read=used)) == ["saved-tensor-modified"]


MANY = """
class Grid:
    def __init__(self):
        self.rows = {cost}

    def first(self, x):
        {work}
        return x

    def last(self, x):
        y = x.exp()
        y += 1
        return y
"""


def test_a_method_with_a_suspicion_is_run_whatever_the_others_have_cost() -> None:
    work = "\n        ".join(["x = x + 1"] * 1_500)
    assert kinds(MANY.format(cost="[]", work=work)) == ["saved-tensor-modified"]


HELPER = """
class Lens:
    @staticmethod
    def _falls(x: torch.Tensor):
        return torch.where(x > 1, (x - 1).sqrt(), 0.0)

    def potential(self, x):
        {work}
        return self._falls(x)
"""


@pytest.mark.parametrize(("steps", "found"), [(1, []), (1_500, ["masked-singularity"])])
def test_a_private_method_is_run_where_its_callers_have_no_steps_left(
    steps: int, found: list[str]
) -> None:
    work = "\n        ".join(["x = known(x)", *["x = 1"] * steps])
    assert kinds(HELPER.format(work=work)) == found


MAKER = """
class Trainer:
    def __init__(self, nets):
        for name, net in nets.items():
            setattr(self, name, net)
            setattr(self, name + "_opt", torch.optim.Adam(net.parameters()))

    def step(self, x):
        result = self.first(x).tanh() @ self.first.weight
        result.sum().backward(retain_graph=True)
        self.first_opt.step()
        result.mean().backward()

def main(loader):
    trainer = Trainer({made})
    for x in loader:
        trainer.step(x)
"""


def test_what_trains_is_run_as_functions_make_it() -> None:
    made = "{'first': nn.Linear(4, 4)}"
    assert kinds(MAKER.format(made=made)) == ["saved-tensor-modified"]
    assert kinds(MAKER.format(made="{'second': nn.Linear(4, 4)}")) == []
