"""Graphs that are kept, and graphs that only look it."""

from pathlib import Path
from textwrap import dedent

import pytest
import torch

from autograd_lint.analysis.files import analyse
from autograd_lint.engine.faults import Fault
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.modules import Project
from autograd_lint.project.source import Source
from tests.checkers.noting import noted
from tests.fakes import write_tree
from tests.vm.running import certain, faults, kinds

CACHE = """
class Convolution(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 3)
        self.layer = nn.Linear(3, 3)
        self.before = None

    def forward(self, x, count):
        x = self.first(x)
        if self.before is not None:
            x = torch.cat([self.before[:, -1:], x])
        self.before = x.sigmoid()
        outputs = []
        i = 0
        while i < count:
            outputs.append(self.layer(x[:, i]))
            i += 1
        return torch.cat(outputs)
"""


def kept(text: str) -> list[Fault]:
    """What is kept with its graph, also where the graph is needed again."""
    told = [one for fault in faults(text) for one in (fault, *fault.also)]
    return [fault for fault in told if fault.kind is Pitfall.GRAPH_KEPT]


def test_a_list_is_not_kept_for_what_was_freed_before_it_was_made() -> None:
    assert [fault.place.row for fault in kept(CACHE) if fault.place] == [15]


def test_what_only_the_canonical_step_frees_is_not_certain() -> None:
    assert all(fault.assumptions for fault in kept(CACHE))


LOSSES = """
w = torch.ones(3, requires_grad=True)
losses = []
for x in (torch.ones(3), torch.ones(3), torch.ones(3)):
    loss = (w * x).exp().sum()
    loss.backward()
    losses.append(loss{cut})
"""


def test_a_list_made_before_the_loop_keeps_the_graphs() -> None:
    assert certain(LOSSES.format(cut="")) == ["graph-kept"]
    assert kinds(LOSSES.format(cut=".item()")) == []


RUNNING = """
class Attention(nn.Module):
    def __init__(self, heads):
        super().__init__()
        self.register_buffer("rate", torch.arange(4) * (1 / 2 ** (8 / heads)))

    def forward(self, x, mask):
        x = x * mask[:, None]
        total = torch.zeros(3)
        for i in range(3):
            total = total * torch.exp(-self.rate) + x
        return x
"""


def test_a_sum_is_not_kept_for_the_sake_of_a_number_that_may_be_a_tensor() -> None:
    assert kinds(RUNNING) == []


NORM = """
class Norm(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.register_buffer("mean", torch.zeros(3))

    def forward(self, x):
        y = self.layer(x).sigmoid()
        self.mean = 0.9 * self.mean + 0.1 * y.mean(0){cut}
        return y
"""


def test_a_buffer_that_takes_in_graphs_is_told_of_once() -> None:
    assert len(faults(NORM.format(cut=""))) == 1
    assert faults(NORM.format(cut=".detach()")) == []


GATHERED = """
class Anchors:
    def __init__(self, model):
        self.model = model

    def gather(self, classes, rounds):
        for _ in classes:
            e = torch.rand(1, 3, requires_grad=True)
            optimizer = torch.optim.SGD([e], lr=0.1)
            for _ in range(rounds):
                optimizer.zero_grad()
                self.model(e).sum().backward()
                optimizer.step()
            e = {added}
            self.found = torch.cat((self.found, e))

    def observe(self):
        if len(self.found) > 0:
            self.model(self.found).mean().backward()
"""


def test_what_takes_in_only_data_hardly_began_with_a_graph() -> None:
    assert kinds(GATHERED.format(added="e.detach()")) == []
    assert "graph-kept" in kinds(GATHERED.format(added="e.exp()"))


LOGGED = """
def train(model, loader):
    model = model.to("cuda")
    optimizer = torch.optim.SGD(model.parameters())
    outputs = []
    for batch in loader:
        optimizer.zero_grad()
        output = model(batch)
        output["loss"].backward()
        optimizer.step()
        {detach}
        outputs.append(output)
"""


def test_what_is_replaced_by_a_value_without_graph_is_not_kept() -> None:
    assert kinds(LOGGED.format(detach="output['loss'] = output['loss'].detach()")) == []
    assert kinds(LOGGED.format(detach="pass")) == ["graph-kept"]


IN_PARTS = """
def train(model, loader, optimizer, rank):
    model.train()
    totals = torch.zeros(2).to(rank)
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.nll_loss(model(x), y)
        loss.backward()
        optimizer.step()
        totals[0] += loss{cut}
        totals[1] += len(x)
    return totals[0] / totals[1]

def evaluate(model):
    model.train()
"""


def test_an_element_of_a_tensor_keeps_the_graphs_of_what_it_was_given() -> None:
    rows = [fault.place.row for fault in faults(IN_PARTS.format(cut="")) if fault.place]
    assert rows == [12]
    assert kinds(IN_PARTS.format(cut=".item()")) == []


GIVEN = """
def train(model, optimizer, criterion, loader):
    total = 0
    for x, y in loader:
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += {added}
    return total
"""


def test_the_loss_that_backward_is_called_on_has_a_graph_whoever_computes_it() -> None:
    assert kinds(GIVEN.format(added="loss")) == ["graph-kept"]
    assert kinds(GIVEN.format(added="loss * x.size(0)")) == ["graph-kept"]


def test_the_number_of_such_a_loss_has_none() -> None:
    assert kinds(GIVEN.format(added="loss.item()")) == []
    assert kinds(GIVEN.format(added="float(loss)")) == []


def test_something_else_that_the_criterion_may_return_is_no_graph() -> None:
    assert kinds(GIVEN.format(added="criterion.correct(y)")) == []


METER = """
class Meter:
    def __init__(self):
        self.sum = 0
    def update(self, value, n=1):
        self.sum += value * n
"""
METERED = """
import torch
from meters import Meter
def train(model, optimizer, criterion, loader):
    losses = Meter()
    for x, y in loader:
        loss = criterion(model(x), y)
        losses.update(loss{taken}, x.size(0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_a_meter_of_another_file_is_told_of_where_it_is_given_the_graph(tmp_path: Path) -> None:
    for taken, expected in (("", [("losses.sum", 8)]), (".item()", [])):
        text = METERED.format(taken=taken)
        write_tree(tmp_path, {"meters.py": METER, "train.py": text})
        path = str(tmp_path / "train.py")
        found = analyse(Source(path, text), Project([tmp_path]))
        told = [(f.tensor, f.place.row) for f in found if f.place is not None and f.weight <= 1]
        assert told == expected


TURNS = """
import torch
from meters import Meter
def train(model, optimizer, criterion, loader):
    losses, others = Meter(), Meter()
    for x, y in loader:
        loss = criterion(model(x), y)
        losses.update(loss)
        others.update(loss * 2)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
"""


def test_each_of_several_meters_that_are_given_graphs_in_turn_is_told(tmp_path: Path) -> None:
    write_tree(tmp_path, {"meters.py": METER, "train.py": TURNS})
    found = analyse(Source(str(tmp_path / "train.py"), TURNS), Project([tmp_path]))
    told = {(f.tensor, f.place.row) for f in found if f.place is not None}
    assert told == {("losses.sum", 8), ("others.sum", 9)}


AVERAGED = """
class Average:
    def __init__(self):
        self.value = 0.0
    def __call__(self, new):
        self.value = 0.9 * self.value + 0.1 * new
        return self.value

w = torch.ones(3, requires_grad=True)
average = Average()
for x in (torch.ones(3), torch.ones(3), torch.ones(3)):
    loss = (w * x).exp().sum()
    loss.backward()
    smooth = average(loss{cut})
assert (smooth.grad_fn is None) is {free}
"""


@pytest.mark.parametrize(("cut", "expected"), [("", ["self.value"]), (".detach()", [])])
def test_one_value_of_two_names_is_told_of_once(cut: str, expected: list[str]) -> None:
    program = AVERAGED.format(cut=cut, free=not expected)
    assert [fault.tensor for fault in faults(program)] == expected
    exec(program, {"torch": torch})


FITTED = """
import torch
def fit(model, optimizer, batches):
    total = 0.0
    for x, y in batches:
        loss = torch.nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss
    return float(total)
"""
FITS = """
import torch
from fitting import fit
model = torch.nn.Linear(2, 1)
batches = [(torch.randn(3, 2), torch.randn(3, 1)) for _ in range(4)]
print(fit(model, torch.optim.SGD(model.parameters(), lr=0.1), batches))
"""


SUMS = FITTED.replace("total = 0.0", "total = {'loss': 0.0}").replace("+= loss", "+= 1 * loss")
SUMS = SUMS.replace("total +=", "total['loss'] +=").replace("float(total)", "float(total['loss'])")


@pytest.mark.parametrize("fitted", [FITTED, SUMS])
def test_a_sum_of_a_function_is_told_in_its_file_whichever_run_shows_it(
    tmp_path: Path, fitted: str
) -> None:
    files = {"fitting.py": fitted, "main.py": FITS}
    write_tree(tmp_path, files)
    for name, text in files.items():
        found = analyse(Source(str(tmp_path / name), text), Project([tmp_path]))
        places = [f.place for f in found if f.place is not None and f.weight <= 1]
        assert [(Path(one.filename).name, one.row) for one in places] == [("fitting.py", 10)]


SEQUENCE = """
cell = nn.RNNCell(3, 3)
h = torch.zeros(2, 3)
outputs = []
for step in range(6):
    {state} = cell(torch.ones(2, 3), h)
    outputs.append({state})
print(h.detach().numpy())
"""


def test_the_steps_of_a_sequence_are_one_graph() -> None:
    assert kinds(SEQUENCE.format(state="h")) == []
    assert kinds(SEQUENCE.format(state="new")) == ["graph-kept"]


SHOWN = """
w = torch.ones(3, requires_grad=True)
for x in (torch.ones(3), torch.ones(3)):
    first, second = (w * x).exp().sum(), (w + x).exp().sum()
    (first + second).backward(retain_graph=False)
    total = 0
    for loss in (first, second, first):
        total += loss
    print(total)
"""


def test_a_sum_keeps_no_graph_that_was_there_before_it_began() -> None:
    assert kinds(SHOWN) == []


COMPARED = """
w = torch.ones(3, requires_grad=True)
scaled = w.exp()
scaled.sum().backward()
total = 0
for i in range(3):
    total += scaled[i] * 2
assert total > 0
"""


def test_rounds_that_begin_at_one_freed_tensor_keep_nothing_more_of_it() -> None:
    assert kinds(COMPARED) == []


WALKED = """
w = torch.ones(3, requires_grad=True)
for epoch in range(3):
    first = (w * 2).exp()
    second = (first * w).exp()
    third = second * 2
    second.sum().backward()
    for value in (first, second, third):
        print(value)
"""


def test_what_a_loop_goes_through_is_no_sum() -> None:
    assert kinds(WALKED) == []


SUMMED = """
w = torch.ones(3, requires_grad=True)
total = 0
for x in (torch.ones(3), torch.ones(3)):
    loss = (w * x).exp().sum()
    {order}
print(total)
"""


def test_a_sum_keeps_the_graphs_that_are_built_after_it_began() -> None:
    assert certain(SUMMED.format(order="loss.backward(); total += loss")) == ["graph-kept"]
    assert certain(SUMMED.format(order="total += loss; loss.backward()")) == ["graph-kept"]


MEASURED = """
from metrics import evaluate

model = nn.Linear(3, 1)
scores, losses = [], []
for epoch in range(3):
    outputs = []
    for x in (torch.ones(3), torch.ones(3)):
        output = model(x)
        output.backward()
        outputs.append(output.detach())
    losses.append(output)
    scores.append(evaluate(output)["accuracy"])
"""


def test_what_unknown_code_measures_is_rather_a_number() -> None:
    assert [f.place.row for f in faults(MEASURED) if f.place] == [14]


OUTPUTS = """
    class Policy(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.outputs = nn.Linear(4, 2), {}

        def forward(self, x):
            mean, log = self.layer(x).chunk(2, dim=-1)
            self.outputs["mean"], self.outputs["std"] = mean, log.exp()
            return mean + log.exp()

    policy = Policy()
    for x, _ in loader:
        policy(x).sum().backward()
        for name, value in policy.outputs.items():
            GOES
    """


ADDED = """
    def add(total, info):
        return {name: total.get(name, 0) + value for name, value in info.items()}

    total = {}
    for x, y in loader:
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total = add(total, {"loss": KEPT})
    """


@pytest.mark.parametrize(("kept", "found"), [("loss", True), ("loss.detach()", False)])
def test_the_entries_of_a_dictionary_that_is_made_anew_are_sums(kept: str, found: bool) -> None:
    assert (Pitfall.GRAPH_KEPT in noted(ADDED.replace("KEPT", kept))) is found


@pytest.mark.parametrize(("goes", "kept"), [("print(name)", False), ("total += value", True)])
def test_what_a_loop_hands_out_is_no_sum(goes: str, kept: bool) -> None:
    program = "total = 0\n" + dedent(OUTPUTS.replace("GOES", goes))
    assert (Pitfall.GRAPH_KEPT in noted(program)) is kept


@pytest.mark.parametrize(
    ("term", "found"), [("decode(z)", []), ("decode(z).sum()", ["graph-kept"])]
)
def test_an_image_that_is_composed_of_parts_is_no_sum_of_losses(
    term: str, found: list[str]
) -> None:
    text = (
        "decode = nn.Linear(2, 4)\n"
        "def compose(n):\n"
        f"    total = torch.zeros(n, 4){'.sum()' if found else ''}\n"
        "    for _ in range(3):\n"
        "        z = torch.randn(n, 2)\n"
        f"        total += {term}\n"
        "    return total\n"
        "image = compose(5)\n"
    )
    assert kinds(text) == found


COUNTED = """
def train(model, batches):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0
    for batch in batches:
        opt.zero_grad()
        loss, count = model.forward_loss(batch)
        loss.backward()
        opt.step()
        total += {}
    print(total)
"""


@pytest.mark.parametrize(("added", "found"), [("count", []), ("loss", ["graph-kept"])])
def test_what_unknown_code_gives_beside_a_loss_may_be_a_number(
    added: str, found: list[str]
) -> None:
    assert kinds(COUNTED.format(added)) == found


TRAINER = """
import torch
from meters import Meter

class Trainer:
    def __init__(self, model, optimizer, losses):
        self.model, self.optimizer, self.losses = model, optimizer, losses

    def step(self, x):
        loss = self.model(x).sum()
        {meter}.update(loss)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()

    def train(self, loader):
        own = Meter()
        for x in loader:
            {round}
"""
TRAINING = """
import torch
from meters import Meter
from trainer import Trainer

def main(model, loader):
    trainer = Trainer(model, torch.optim.SGD(model.parameters(), 0.1), Meter())
    {use}
"""
INLINE = """loss = self.model(x).sum()
            own.update(loss)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()"""


def told_by_main(tmp_path: Path, use: str, **trainer: str) -> list[tuple[str, str | None]]:
    """Where the run of a file that only uses a trainer sees a kept graph, and its name there."""
    text = TRAINING.format(use=use)
    given = {"meter": "self.losses", "round": "self.step(x)", **trainer}
    write_tree(
        tmp_path, {"meters.py": METER, "trainer.py": TRAINER.format(**given), "main.py": text}
    )
    found = analyse(Source(str(tmp_path / "main.py"), text), Project([tmp_path]))
    places = [(fault.place, fault.tensor) for fault in found if fault.weight <= 1]
    return [(Path(place.filename).name, name) for place, name in places if place is not None]


USED = "for x in loader:\n        trainer.step(x)"


def test_a_sum_in_a_meter_is_told_where_the_meter_is_given_the_graph(tmp_path: Path) -> None:
    assert told_by_main(tmp_path, USED) == [("trainer.py", "self.losses.sum")]


def test_a_sum_that_another_file_adds_up_in_its_own_loop_is_told_there(tmp_path: Path) -> None:
    found = told_by_main(tmp_path, "trainer.train(loader)", round=INLINE)
    assert found == [("trainer.py", "own.sum")]


def test_a_sum_goes_by_the_name_that_it_has_where_it_is_told(tmp_path: Path) -> None:
    found = told_by_main(tmp_path, USED, meter="ALL", round="pass\n\nALL = Meter()")
    assert found == [("trainer.py", "ALL.sum")]


REGISTERED = """
class Codebook(nn.Module):
    def __init__(self):
        super().__init__()
        self.embed = nn.Parameter(torch.ones(3))
        self.register_buffer("average", torch.zeros(3))
    def forward(self, x):
        new = self.average * 0.9 + self.embed * 0.1
        {keep}
        return (x * self.embed).sum()
model = Codebook()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    optimizer.zero_grad()
    model(torch.ones(3)).backward()
    optimizer.step()
"""


@pytest.mark.parametrize("keep", ["self.register_buffer('average', new)", "self.average = new"])
def test_a_running_sum_is_told_where_the_attribute_is_bound(keep: str) -> None:
    places = [fault.place for fault in faults(REGISTERED.format(keep=keep))]
    assert [place.row for place in places if place] == [11]


def test_a_running_sum_that_is_written_in_place_is_told_where_it_is_written() -> None:
    written = "self.average[0] = new[0] + self.average[0]"
    places = [fault.place for fault in faults(REGISTERED.format(keep=written))]
    assert [place.row for place in places if place] == [11]


LEDGER = """
class Ledger:
    def __init__(self):
        self.figures = []

    def enter(self, cost):
        self.figures.append(cost)

ledger, net = Ledger(), nn.Linear(3, 1)
mover = torch.optim.SGD(net.parameters(), lr=0.1)
for season in range(4):
    mover.zero_grad()
    cost = net(torch.ones(4, 3)).mean()
    cost.backward()
    mover.step()
    ledger.enter(cost)
"""


def test_where_a_value_is_kept_that_was_handed_over_is_noted() -> None:
    (fault,) = kept(LEDGER)
    assert [(one.said, one.place and one.place.row) for one in fault.noted] == [("kept here", 9)]


SUMMED_IN_ONE_STEP = """
class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))
        self.scale = self.weight.exp()

    def forward(self, x):
        drawn = {drawn}.exp()
        self.prior = drawn.sum()
        return x * drawn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.prior = torch.tensor(0.0)
        self.layers = nn.ModuleList([Layer() for _ in range(3)])

    def forward(self, x):
        {reset}
        for layer in self.layers:
            x = layer(x)
            self.prior += layer.prior
        return x
"""


@pytest.mark.parametrize("drawn", ["self.weight", "self.scale"])
def test_what_layers_add_up_in_one_step_is_no_sum_over_steps(drawn: str) -> None:
    reset = "self.prior = torch.tensor(0.0)"
    assert "graph-kept" not in kinds(SUMMED_IN_ONE_STEP.format(drawn=drawn, reset=reset))
    assert "graph-kept" in kinds(SUMMED_IN_ONE_STEP.format(drawn="self.weight", reset="pass"))


ENTRIES = """
net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
kept = {{}}
{loop}
print(kept)
"""


@pytest.mark.parametrize(
    ("loop", "told"),
    [
        ("for name, weight in net.named_parameters():\n    kept[name] = 0.9 * weight", 0),
        ("for i in range(5):\n    kept[i] = net(torch.ones(2))", 1),
    ],
)
def test_one_entry_for_each_parameter_is_not_one_for_each_iteration(loop: str, told: int) -> None:
    assert len(kept(ENTRIES.format(loop=loop))) == told


PARTS = """
w = torch.ones(3, requires_grad=True)
def doubled(x):
    parts = [0] * 2
    for i in range(2):
        parts[i] = x * 2
    return parts
x = w.exp()
for _ in range(3):
    x.sum().backward()
    x = doubled(x)[0].exp()
    print(x)
"""


def test_an_entry_of_a_list_that_each_call_makes_anew_is_no_running_sum() -> None:
    assert [one.place.row for one in kept(PARTS) if one.place] == [13]


WINDOW = """
def step(net, opt, loader, window, scaler):
    total = 0
    opt.zero_grad()
    for _ in range(window):
        loss = net(next(loader)).mean()
        scaler.scale(loss).backward()
        {inside}
        total += loss
    {behind}
    return total.item()
"""


@pytest.mark.parametrize(
    ("inside", "behind", "told"),
    [
        ("pass", "opt.step()", False),
        ("pass", "scaler.step(opt)", False),
        ("opt.step()", "pass", True),
    ],
)
def test_a_sum_over_the_batches_of_one_step_is_gone_with_that_step(
    inside: str, behind: str, told: bool
) -> None:
    assert ("graph-kept" in kinds(WINDOW.format(inside=inside, behind=behind))) is told


FEATURES = """
from elsewhere import Decoder

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = []
        self.first = nn.Linear(4, 4)
        self.decoder = Decoder()

    def forward(self, x):
        x = self.first(x).exp()
        self.features.append(x)
        return self.decoder(x, {given})

net = Net()
for x, y in loader:
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.step()
"""


def test_a_part_of_an_object_that_is_not_seen_may_empty_what_it_is_called_with() -> None:
    assert Pitfall.GRAPH_KEPT not in noted(FEATURES.format(given="self.features"))
    assert Pitfall.GRAPH_KEPT in noted(FEATURES.format(given="len(self.features)"))


@pytest.mark.parametrize(("owner", "told"), [("optimizers[i]", False), ("optimizer", True)])
def test_a_loop_has_few_rounds_where_each_steps_an_optimizer_of_its_own(
    owner: str, told: bool
) -> None:
    program = f"""
    def update(models, optimizers, optimizer, x):
        losses = []
        for i in range(len(models)):
            loss = models[i](x).sum()
            loss.backward()
            {owner}.step()
            losses.append(loss)
        return [one.item() for one in losses]

    models = [model, copy.deepcopy(model), copy.deepcopy(model)]
    update(models, [torch.optim.SGD(m.parameters()) for m in models], optimizer, torch.ones(3, 4))
    """
    assert (Pitfall.GRAPH_KEPT in noted(program)) is told


WEIGHTS_BY_NAME = """
def train(model, loader, criterion):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    shadow = {{}}
    for name, p in model.named_parameters():
        {begin}
    for x, y in loader:
        optimizer.zero_grad()
        criterion(model(x), y).backward()
        optimizer.step()
        for name, p in model.named_parameters():
            {average}
"""
BEGIN = "shadow[name] = p.data.clone()"
TAKEN_IN = "shadow[name] = 0.1 * p + 0.9 * shadow[name]"


def test_an_average_takes_in_the_parameters_of_a_model_of_unknown_class_by_their_names() -> None:
    (fault,) = kept(WEIGHTS_BY_NAME.format(begin=BEGIN, average=TAKEN_IN))
    assert fault.place is not None
    assert fault.place.row == 14
    assert (
        kept(WEIGHTS_BY_NAME.format(begin=BEGIN, average=TAKEN_IN.replace("* p", "* p.data"))) == []
    )


def test_asking_for_what_an_average_needs_anyway_is_no_further_condition() -> None:
    asked = f"if p.requires_grad: {TAKEN_IN}"
    (fault,) = kept(WEIGHTS_BY_NAME.format(begin=BEGIN, average=asked))
    assert not [why for why in fault.premises if why.condition is not None]


SUMS_BY_NAME = """
class Meter:
    def __init__(self):
        self.sums = {{}}

    def update(self, losses):
        for name, loss in losses.items():
            self.sums[name] = self.sums.get(name, 0) + loss

model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
meter = Meter()
for x in torch.ones(9, 3):
    losses = {{"a": model(x).exp().sum(), "b": model(x).tanh().sum()}}
    optimizer.zero_grad()
    sum(losses.values()).backward()
    optimizer.step()
    meter.update({given})
"""


def test_a_sum_of_a_meter_names_the_call_that_gives_its_terms_in_each_step() -> None:
    (fault,) = kept(SUMS_BY_NAME.format(given="losses"))
    assert fault.place is not None
    assert [(one.place.row, one.said) for one in fault.noted if one.place] == [
        (20, "called here in each step")
    ]
    assert kept(SUMS_BY_NAME.format(given="{key: one.item() for key, one in losses.items()}")) == []


EPOCH = """
def train(model, criterion, loader, steps):
    losses = []
    for x, y in loader:
        loss = criterion(model(x), y)
        losses.append({kept})
        steps.zero_grad()
        loss.backward()
        steps.step()
    return sum(losses)
"""


def test_a_loss_of_which_nothing_is_known_is_kept_with_the_graph_that_backward_begins_at() -> None:
    assert [fault.place.row for fault in kept(EPOCH.format(kept="loss")) if fault.place] == [8]
    assert not kept(EPOCH.format(kept="loss.item()"))
    assert not kept(EPOCH.format(kept="x"))


WINDOWS = """
model = nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
total = 0
for count, x in enumerate(torch.randn(99, 3, 4)):
    loss = model(x).mean() / 4
    total += loss
    loss.backward()
    if (count + 1) % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
        print(float(total))
        {after}
"""


@pytest.mark.parametrize(("after", "found"), [("total = 0", []), ("print()", ["graph-kept"])])
def test_a_sum_that_begins_anew_with_each_step_keeps_few_graphs(
    after: str, found: list[str]
) -> None:
    assert kinds(WINDOWS.format(after=after)) == found


SLOPES = """
class Runner:
    def __init__(self, sampler, net, count):
        self.sampler = sampler
        self.net = net
        self.count = count

    def run(self):
        slopes = torch.zeros(self.count, 3)
        for i in range(self.count):
            self.net(self.sampler.places).backward()
            height = self.net(self.sampler.places)
            (slope,) = torch.autograd.grad(height, self.sampler.places, create_graph=True)
            slopes[i, :] = slope.reshape(-1)
        self.net.zero_grad()
        {}
"""


def test_what_callers_may_run_backward_on_is_no_average() -> None:
    assert kinds(SLOPES.format("print(slopes.shape)")) == ["graph-kept"]
    assert kinds(SLOPES.format("return self.sampler, slopes")) == []


MOVING = """
net = nn.Linear(3, 2)
average = copy.deepcopy(net).requires_grad_(False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for x in torch.randn(100, 2, 3):
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.step()
    for p, q in zip(net.parameters(), average.parameters()):
        {update}
"""


@pytest.mark.parametrize(
    ("update", "kept"),
    [
        ("q.mul_(0.9).add_(p, alpha=0.1)", True),
        ("q.copy_(0.9 * q + 0.1 * p)", True),
        ("q.lerp_(p, 0.1)", True),
        ("q.mul_(0.9).add_(p.detach(), alpha=0.1)", False),
        ("q.copy_(p)", True),
        ("q.copy_(p.detach())", False),
    ],
)
def test_an_average_of_weights_keeps_a_graph_for_each_step(update: str, kept: bool) -> None:
    found = noted(MOVING.format(update=update))
    assert (Pitfall.GRAPH_KEPT in found) is kept


def test_an_average_that_a_method_moves_after_a_warm_up_keeps_them_too() -> None:
    text = """
class Agent:
    def __init__(self):
        self.net = nn.Linear(3, 2)
        self.average = copy.deepcopy(self.net).requires_grad_(False)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def learn(self, x):
        self.optimizer.zero_grad()
        self.net(x).sum().backward()
        self.optimizer.step()
        for p, q in zip(self.net.parameters(), self.average.parameters()):
            q.mul_(0.9).add_(0.1 * p)

agent = Agent()
for step in range(100_000):
    x = torch.randn(2, 3)
    if step > 1_000:
        agent.learn(x)
"""
    assert Pitfall.GRAPH_KEPT in noted(text)
    assert Pitfall.GRAPH_KEPT not in noted(text.replace("0.1 * p)", "0.1 * p.detach())"))


OF_FEW_ROUNDS = """
model = nn.Linear(2, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
total = 0.0
for i in range(1000):
    loss = model(torch.ones(3, 2)).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    total += loss
    if i % 10 == 9:
        print(total / 10)
        {}
"""


def test_a_sum_that_begins_anew_every_few_rounds_keeps_few_graphs() -> None:
    assert kinds(OF_FEW_ROUNDS.format("total = 0.0")) == []
    assert kinds(OF_FEW_ROUNDS.format("pass")) == ["graph-kept"]


OF_ONE_STEP = """
class Trainer:
    def __init__(self, model, batches, count):
        self.model = model
        self.optimizer = torch.optim.Adam(model.parameters())
        self.batches, self.count = batches, count

    def train_step(self):
        totals = {{}}
        self.optimizer.zero_grad()
        for _ in range(self.count):
            loss = self.model(next(self.batches)).mean()
            (loss / self.count).backward()
            for name, part in {{"loss": loss}}.items():
                totals[name] = totals.get(name, 0.0) + part
            {inside}
        {behind}
        print(totals)
"""


def test_a_sum_over_the_batches_of_one_step_goes_with_the_step() -> None:
    step = "self.optimizer.step()"
    assert kinds(OF_ONE_STEP.format(inside="pass", behind=step)) == []
    assert "graph-kept" in kinds(OF_ONE_STEP.format(inside=step, behind="pass"))
