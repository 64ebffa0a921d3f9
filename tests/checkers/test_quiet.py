"""What looks like a pitfall, and is none."""

from textwrap import dedent

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.faults import FaultKind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import HEAD, noted
from tests.vm.running import faults

SCHEDULED = """
    plan = torch.optim.lr_scheduler.{scheduler}
    for x, y in loader:
        plan.step({told})
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("scheduler", "told", "first"),
    [
        ("StepLR(optimizer, 3)", "", True),
        ("StepLR(optimizer, 3)", "epoch=2", False),
        ("ReduceLROnPlateau(optimizer)", "y.mean()", False),
    ],
)
def test_a_scheduler_that_is_told_where_it_is(scheduler: str, told: str, first: bool) -> None:
    program = SCHEDULED.format(scheduler=scheduler, told=told)
    assert (Pitfall.SCHEDULER_FIRST in noted(program)) is first


COLLECTING = """
    class Blocks(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList(nn.Linear(4, 4) for _ in range(4))

        def forward(self, x):
            states = []
            for block in self.blocks:
                x = block(x)
                states.append(x)
            return x, states

    blocks = Blocks()
    results = []
    for x, _ in loader:
        x, states = blocks(x)
        results.append({kept})
    """


def test_what_one_forward_collects_is_no_leak() -> None:
    assert Pitfall.GRAPH_KEPT not in noted(COLLECTING.format(kept="0"))
    assert Pitfall.GRAPH_KEPT in noted(COLLECTING.format(kept="x"))


LISTS = """
    class Layers(nn.Module):
        def __init__(self):
            super().__init__()
            layers = [nn.Linear(4, 4) for _ in range(3)]
            self.first = nn.Sequential(*layers[:{registered}])
            self.layers = layers

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    layers = Layers()
    """


def test_a_list_that_is_registered_in_part() -> None:
    assert Pitfall.UNREGISTERED not in noted(LISTS.format(registered=2))
    assert Pitfall.UNREGISTERED in noted(LISTS.format(registered=0))


def test_an_object_keeps_a_flag_of_its_own() -> None:
    own = """
        class Environment(nn.Module):
            def __init__(self):
                super().__init__()
                self.build()

            def build(self, requires_grad: bool = False):
                self.requires_grad = {flag}
        """
    assert Pitfall.FLAG_WITHOUT_EFFECT not in noted(own.format(flag="requires_grad"))
    assert Pitfall.FLAG_WITHOUT_EFFECT in noted(
        own.format(flag="False").replace("requires_grad:", "on:")
    )


DROPPING = """
    class Dropping(nn.Module):
        def __init__(self, layer):
            super().__init__()
            self.layer = layer
            del self.layer._parameters["weight_hh_l0"]
            self.layer.register_parameter("raw", nn.Parameter(torch.zeros(12, 3)))

        def forward(self, x):
            self.layer.weight_hh_l0 = F.dropout(self.layer.raw, training=self.training)
            return self.layer(x)[0]

    class Stack(nn.Module):
        def __init__(self, count):
            super().__init__()
            layers = [nn.LSTM(3, 3) for _ in range(count)]
            layers = [Dropping(layer) for layer in layers]
            self.layers = nn.ModuleList(layers)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    stack = Stack({count})
    optimizer = torch.optim.SGD(list(stack.parameters()), lr=0.1)
    for x, _ in loader:
        optimizer.zero_grad()
        stack(x).sum().backward()
        optimizer.step()
        stack.eval()
    """


def test_an_optimizer_of_unknown_parameters_may_have_any() -> None:
    assert Pitfall.NOT_OPTIMIZED not in noted(DROPPING.format(count="int(open('count').read())"))


CREATING = """
    net = nn.Linear(4, 1)
    {made}
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(net(x), y).backward(create_graph=True)
        optimizer.step()
    """


def test_an_optimizer_of_another_package_may_need_the_graph_of_gradients() -> None:
    other = "from optimizers import Hessian\n    optimizer = Hessian(net.parameters())"
    plain = "optimizer = torch.optim.SGD(net.parameters(), lr=0.1)"
    assert Pitfall.NEEDLESS_RETAIN not in noted(CREATING.format(made=other))
    assert Pitfall.NEEDLESS_RETAIN in noted(CREATING.format(made=plain))


def test_what_a_parameter_is_made_of_needs_no_gradient() -> None:
    program = """
        class Rates(nn.Module):
            def __init__(self):
                super().__init__()
                {first}
                self.rates = nn.Parameter(0.1 * {of})

            def forward(self, x):
                return self.rates * x

        Rates()(torch.ones(3)).sum().backward()
        """
    made = "torch.ones(3, requires_grad=True)"
    unnamed = program.format(first="pass", of=made)
    named = program.format(first=f"self.scale = {made}", of="self.scale")
    assert Pitfall.GRADIENT_CUT not in noted(unnamed)
    assert Pitfall.GRADIENT_CUT in noted(named)


REBOUND = """
    class Rates(nn.Module):
        def __init__(self):
            super().__init__()
            self.rate = torch.tensor([0.1], requires_grad=True)
            self.{name} = nn.Parameter(self.rate)

        def forward(self, x):
            return self.{name} * x

    net = Rates()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    optimizer.zero_grad()
    net(torch.ones(3)).sum().backward()
    optimizer.step()
    """


@pytest.mark.parametrize(("name", "lost"), [("rate", False), ("other", True)])
def test_a_parameter_takes_the_place_of_its_leaf(name: str, lost: bool) -> None:
    assert (Pitfall.GRADIENT_CUT in noted(REBOUND.format(name=name))) is lost


NAMED = """
    class Stack(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = []
            for i in range(2):
                layer = nn.Linear(4, 4)
                self.__setattr__("layer{{}}".format({which}), layer)
                self.layers.append(layer)
            {more}

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    stack = Stack()
    """


@pytest.mark.parametrize(
    ("more", "lost"), [("pass", False), ("self.layers = [nn.ReLU(), nn.Linear(1, 1)]", True)]
)
def test_a_member_is_registered_by_its_setter(more: str, lost: bool) -> None:
    program = NAMED.format(which="name()", more=more)
    assert (Pitfall.UNREGISTERED in noted(program)) is lost


MODES = """
    def train(x):
        {first}
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
        {last}
        if len(x) == 0:
            return None
        {after}
    for x, _ in loader:
        train(x)
    """
ON, OFF = "torch.set_grad_enabled(True)", "torch.set_grad_enabled(False)"


TOLD = "torch.set_grad_enabled(x.shape[0] > unknown)"


@pytest.mark.parametrize(
    ("first", "last", "after", "leaks"),
    [(ON, OFF, "pass", False), ("pass", OFF, ON, True), (TOLD, "pass", "pass", False)],
)
def test_who_switches_off_last_means_it(first: str, last: str, after: str, leaks: bool) -> None:
    program = MODES.format(first=first, last=last, after=after)
    program = program.replace("len(x) == 0", "x.shape[0] == unknown")
    assert (Pitfall.MODE_LEAKS in noted(program)) is leaks


CACHED = """
    loss = F.mse_loss(model(loader[0][0]), loader[0][1])
    {walked}
    loss = loss.detach().requires_grad_()
    loss.backward()
    """


@pytest.mark.parametrize(("walked", "copied"), [("loss.backward()", False), ("pass", True)])
def test_a_loss_that_was_walked_is_copied_for_something_else(walked: str, copied: bool) -> None:
    assert (Pitfall.LOSS_REBUILT in noted(CACHED.format(walked=walked))) is copied


def test_an_attribute_is_no_method() -> None:
    assert Pitfall.NOT_CALLED not in noted("x = torch.ones(2)\nx.names")
    assert Pitfall.NOT_CALLED in noted("x = torch.ones(2)\nx.cuda")


SET_ONCE = """
    class Memory(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("sums", torch.tensor([-1.0, -1.0]))

        def forward(self, x):
            total = self.sums[0].item()
            out = x.exp()
            if total < 0:
                self.sums[0] = out.mean()
                {then}
            return out / total
    """


@pytest.mark.parametrize(("then", "kept"), [("total = self.sums[0].item()", False), ("", True)])
def test_what_a_branch_sets_so_that_it_is_not_taken_again(then: str, kept: bool) -> None:
    found = noted(SET_ONCE.format(then=then or "pass"))
    assert (Pitfall.GRAPH_KEPT in found) is kept


CHUNKS = """
    for x, y in loader:
        optimizer.zero_grad()
        losses = []
        for part in torch.split(x, 2):
            loss = model(part).exp().sum()
            losses.append(loss)
            loss.backward()
            {inside}
        {outside}
    """


@pytest.mark.parametrize(
    ("inside", "outside", "kept"),
    [("pass", "optimizer.step()", False), ("optimizer.step()", "pass", True)],
)
def test_a_list_of_one_training_step(inside: str, outside: str, kept: bool) -> None:
    found = noted(CHUNKS.format(inside=inside, outside=outside))
    assert (Pitfall.GRAPH_KEPT in found) is kept


AFTERWARDS = """
    def values(losses):
        kept = []
        for loss in losses:
            kept.append(loss)
        return torch.stack(kept).mean().item()

    for x, y in loader:
        optimizer.zero_grad()
        first, second = model(x).exp().sum(), model(y).exp().sum()
        (first + second).backward()
        optimizer.step()
        values([first, second])
    """


def test_a_list_that_is_made_right_after_backward() -> None:
    assert Pitfall.GRAPH_KEPT not in noted(AFTERWARDS)


COPY = """
    def clip(boxes):
        moved = boxes.{copied}
        moved.clamp_(0, 1)
        return moved

    hidden = model(torch.randn(3, 4)) * 2
    boxes = clip(hidden.data)
    loss = (hidden * boxes).sum()
    loss.backward()
    """


@pytest.mark.parametrize(("copied", "hides"), [("clone()", False), ("view(-1)", True)])
def test_a_copy_of_data_is_memory_of_its_own(copied: str, hides: bool) -> None:
    assert (Pitfall.UNRECORDED_CHANGE in noted(COPY.format(copied=copied))) is hides


ANEW = """
    class Mix(nn.Module):
        def forward(self, x):
            w = nn.Parameter({data})
            {kept}
            return x * w

    Mix()(torch.ones(4)).sum().backward()
    """


@pytest.mark.parametrize(
    ("data", "kept", "lost"),
    [
        ("torch.randn(4)", "pass", True),
        ("torch.randn(4)", "self.w = w", False),
        ("torch.randn(4)", "self.register_parameter('w', w)", False),
        ("torch.zeros(4)", "pass", False),
        ("torch.randn(4), requires_grad=False", "pass", False),
    ],
)
def test_a_parameter_made_anew_in_every_step(data: str, kept: str, lost: bool) -> None:
    assert (Pitfall.UNREGISTERED in noted(ANEW.format(data=data, kept=kept))) is lost


DRAWN = """
    class Policy(nn.Module):
        def forward(self, x):
            dist = torch.distributions.Normal({of}, 1.0)
            z = dist.sample()
            return (dist.log_prob(z) - torch.log(1 - torch.tanh(z) ** 2 + 1e-6)).sum()

    optimizer.zero_grad()
    (Policy()(loader[0][0]) + model(loader[0][0]).sum()).backward()
    optimizer.step()
    """


def test_a_sample_has_no_gradient_where_what_it_is_drawn_from_is_trained() -> None:
    assert Pitfall.CONSTANT_TERM not in noted(DRAWN.format(of="model(x)"))


REBINDING = """
    @torch.no_grad()
    def show(w):
        w = torch.tanh(w) * 2
        return w

    w = nn.Parameter(torch.zeros(3))
    opt = torch.optim.SGD([w], lr=0.1)
    (w * 2).sum().backward()
    opt.step()
    opt.zero_grad()
    show(w)
    """


def test_an_argument_that_is_rebound_is_still_its_owners() -> None:
    assert Pitfall.PARAMETER_REBOUND not in noted(REBINDING)


MASKED = """
    class Masked(nn.Conv1d):
        def forward(self, x):
            {masked}
            return super().forward(x)

    conv = Masked(1, 1, 1)
    mask = torch.ones(1, 1, 1)
    out = conv(conv(torch.randn(1, 1, 4)))
    out.sum().backward()
    """


@pytest.mark.parametrize(
    ("masked", "changes"),
    [("self.weight.data *= mask", False), ("x = x.sigmoid(); x.data.mul_(2)", True)],
)
def test_a_parameter_that_is_masked_again_is_what_it_was(masked: str, changes: bool) -> None:
    faults = analyse(Source("a.py", HEAD + dedent(MASKED.format(masked=masked))))
    found = {fault.kind for fault in faults}
    assert (FaultKind.SAVED_TENSOR_MODIFIED in found) is changes


METRIC = """
    import torchmetrics
    from other import Metric

    class Loss(torchmetrics.Metric):
        def __init__(self, loss: nn.Module):
            super().__init__()
            self.loss = loss
            self.total = 0

        def update(self, output, y):
            self.total += self.loss(output, y)

        def compute(self):
            return self.total.item()
    """


def test_torchmetrics_updates_without_gradients() -> None:
    assert Pitfall.GRAPH_KEPT not in noted(METRIC)
    assert Pitfall.GRAPH_KEPT in noted(METRIC.replace("torchmetrics.Metric", "Metric"))


def test_a_cast_of_types_is_no_number() -> None:
    program = """
        from typing import cast
        loss = F.mse_loss(model(loader[0][0]), loader[0][1])
        (loss + cast(torch.Tensor, model(loader[0][0]).mean())).backward()
        """
    assert noted(program) == set()


CONVERTED = """
    class Scale(nn.Module):
        def __init__(self, factor):
            super().__init__()
            self.factor = factor.cuda()

        def forward(self, x):
            return x * self.factor

    factor = torch.ones(1{wanted})
    net = Scale(factor)
    opt = torch.optim.SGD([*model.parameters(){more}], lr=0.1)
    """


@pytest.mark.parametrize(
    ("wanted", "more", "lost"),
    [
        (", requires_grad=True", "", True),
        (", requires_grad=True", ", factor", False),
        ("", "", False),
    ],
)
def test_a_leaf_that_a_module_holds_on_another_device(wanted: str, more: str, lost: bool) -> None:
    found = noted(CONVERTED.format(wanted=wanted, more=more))
    assert (Pitfall.UNREGISTERED in found) is lost


REFERENCE = """
def check(function, x, grad):
    copy = x.clone().detach().requires_grad_()
    out = (copy + 1).mean()
    out.backward({given})
    return {asked}.grad
"""


@pytest.mark.parametrize(
    ("given", "asked", "told"),
    [("grad", "x", False), ("", "copy", False), ("", "x", True)],
)
def test_a_copy_whose_own_gradient_is_asked_for_is_no_rebuilt_loss(
    given: str, asked: str, told: bool
) -> None:
    found = noted(REFERENCE.format(given=given, asked=asked))
    assert (Pitfall.LOSS_REBUILT in found) is told


STREAMED = """
import threading

class Chat:
    def __init__(self, layer: nn.Module):
        self.layer = layer

    {own}
    def answer(self, x):
        return self.layer(x)

    @torch.no_grad()
    def stream(self, x):
        def produce():
            return self.answer(x)
        threading.Thread(target=produce).start()

Chat(nn.Linear(2, 2)).stream(torch.ones(2))
"""


@pytest.mark.parametrize(
    ("own", "found"),
    [("", {Pitfall.MODE_NOT_INHERITED}), ("@torch.no_grad()", set())],
)
def test_a_thread_that_turns_grad_mode_off_itself(own: str, found: set[Pitfall]) -> None:
    assert noted(STREAMED.format(own=own)) == found


SAVED = """
from concurrent.futures import ThreadPoolExecutor

def save(sound):
    library.write(sound[0:1, :3])

@torch.no_grad()
def infer(batches, model):
    with ThreadPoolExecutor(2) as pool:
        for batch in batches:
            pool.submit(save, {sound})

infer(library.batches(), nn.Linear(2, 2))
"""


@pytest.mark.parametrize(("sound", "certain"), [("batch['sound']", False), ("model.weight", True)])
def test_what_a_thread_does_with_data_builds_no_graph_for_certain(
    sound: str, certain: bool
) -> None:
    told = faults("import library\n" + SAVED.format(sound=sound))
    kinds = [one.kind for one in told if not one.assumptions]
    assert (Pitfall.MODE_NOT_INHERITED in kinds) is certain


PICKED = """
class Net(nn.Module):
    def __init__(self, config):
        super().__init__()
        self.parts = nn.ModuleList(nn.Embedding(4, 4) for _ in range(3))
        self.mode = config.mode
        self.top = nn.Linear(4, 4)

    def forward(self, x):
        return self.top(x)

net = Net(load())
optimizer = torch.optim.SGD({given}, lr=0.1)
for x, y in loader:
    optimizer.zero_grad()
    F.cross_entropy(net(x), y).backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("filter(lambda p: p.requires_grad, net.parameters())", set()),
        ("list(net.parameters())", set()),
        ("[*net.parameters(), *load()]", set()),
        ("net.parts[0].parameters()", {Pitfall.GRADIENTS_PILE_UP}),
    ],
)
def test_what_an_optimizer_was_given_of_many_parameters(given: str, found: set[Pitfall]) -> None:
    assert noted(PICKED.format(given=given)) == found


LEARNT = """
    import library
    for x, _ in loader:
        known = {known}
        optimizer.zero_grad()
        (known - model(x).detach()).pow(2).mean().backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("known", "cut"),
    [("library.run(model).value", False), ("x.sum(1, keepdim=True) * scale", True)],
)
def test_what_is_detached_may_be_a_part_of_an_unknown_graph_as_well(known: str, cut: bool) -> None:
    made = "\n    scale = torch.ones(1, requires_grad=True)"
    assert (Pitfall.GRADIENT_CUT in noted(made + LEARNT.format(known=known))) is cut
