"""Evaluations with grad mode on: which of them are told."""

from textwrap import dedent

import pytest

from autograd_lint.analysis import analyse
from autograd_lint.engine.assumptions import Kind
from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.project.source import Source
from tests.checkers.noting import HEAD, noted, rows

EVALUATED = """
    other = nn.Linear(4, 1)
    def evaluate(batches):
        model.eval()
        other.eval()
        return [(model(x).sum().item(), other(x).sum().item()) for x, _ in batches]
    evaluate(loader)
    """


def test_an_evaluation_is_told_once() -> None:
    assert rows(EVALUATED, Pitfall.EVALUATION_BUILDS_GRAPHS) == [6]


@pytest.mark.parametrize(
    ("run", "found"),
    [
        ("out = model(torch.randn(3, 4))", False),
        ("outs = [model(x).sum().item() for x, _ in loader]", True),
        ("for x, _ in loader:\n    print(model(x))", True),
    ],
)
def test_what_a_script_evaluates_once_is_not_told(run: str, found: bool) -> None:
    told = noted(f"model.eval()\n{run}\n")
    assert (Pitfall.EVALUATION_BUILDS_GRAPHS in told) is found


HOOKED = """
    kept, other = [], nn.Linear(4, 1)
    model.register_forward_hook(lambda module, given, out: kept.append(out))
    def visualize(image, objective):
        model.eval()
        for _ in range(9):
            {run}
            loss = objective(lambda: kept[-1])
            loss.backward()
    visualize(torch.randn(3, 4), lambda kept: other(torch.randn(3, 4)).sum())
    """


@pytest.mark.parametrize(("run", "found"), [("model(image)", []), ("out = model(image)", [7])])
def test_what_hooks_keep_of_a_call_may_be_differentiated(run: str, found: list[int]) -> None:
    assert rows(HOOKED.format(run=run), Pitfall.EVALUATION_BUILDS_GRAPHS) == found


TRIED = """
    def convert(net, device):
        net.eval()
        sample = {sample}
        {run}
    """


@pytest.mark.parametrize(
    ("sample", "run", "found"),
    [
        ("torch.rand(1, 4).to(device)", "net(sample)", []),
        ("torch.rand(1, 4)", "return [net(sample).item() for _ in range(9)]", [5]),
        ("torch.rand(1, 4)", "return net(sample).item()", [5]),
        ("torch.load('sample.pt')", "print(net(sample).item())", [5]),
    ],
)
def test_a_module_that_is_tried_out_once_is_not_evaluated(
    sample: str, run: str, found: list[int]
) -> None:
    assert rows(TRIED.format(sample=sample, run=run), Pitfall.EVALUATION_BUILDS_GRAPHS) == found


KEPT = """
    model.eval()
    outputs = []
    for x, _ in loader:
        outputs.append(model(x))
    """


def test_where_graphs_are_kept_that_is_the_mistake() -> None:
    assert noted(KEPT) == {Pitfall.GRAPH_KEPT}


STATEFUL = """
    def sample(rnn, size):
        rnn.eval()
        state = rnn.init_state(size)
        {used}
        return state.numpy()
    """


@pytest.mark.parametrize(("used", "found"), [("pass", []), ("rnn(size)", [5])])
def test_only_a_module_itself_evaluates(used: str, found: list[int]) -> None:
    assert rows(STATEFUL.format(used=used), Pitfall.EVALUATION_BUILDS_GRAPHS) == found


WANTED = """
    from losses import match
    model.eval()
    for x, _ in loader:
        {before}
        print(match(x, model(x)))
    """


@pytest.mark.parametrize(("before", "found"), [("pass", [6]), ("x.requires_grad = True", [])])
def test_an_input_that_requires_grad_wants_its_gradient(before: str, found: list[int]) -> None:
    assert rows(WANTED.format(before=before), Pitfall.EVALUATION_BUILDS_GRAPHS) == found


RETURNED = """
    class Classifier(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 3)
            self.body.eval()
        def predict(self, x):
            scores = self.body(x).softmax(-1)
            return {result}
    """


@pytest.mark.parametrize(
    ("result", "found"), [("scores.argmax(-1)", [8]), ("{'scores': scores[:, 0]}", [])]
)
def test_a_caller_may_differentiate_what_is_returned(result: str, found: list[int]) -> None:
    text = RETURNED.replace("{result}", result)
    assert rows(text, Pitfall.EVALUATION_BUILDS_GRAPHS) == found


ATTACKED = """
    def attack(x, y):
        delta = torch.zeros_like(x)
        delta.requires_grad_()
        for _ in range(3):
            scores = model(x + delta)
            if {stops}:
                break
            F.mse_loss(scores, y).backward()
        return delta
    model.eval()
    for x, y in loader:
        attack(x, y)
    """
PREDICTED = """
    model.eval()
    for x, y in loader:
        scores = model(x)
        print({used})
    """


@pytest.mark.parametrize(
    ("used", "found"),
    [("torch.autograd.grad(F.mse_loss(scores, y), scores)", []), ("scores.sum()", [4])],
)
def test_a_result_whose_gradient_is_asked_for_needs_its_graph(used: str, found: list[int]) -> None:
    assert rows(PREDICTED.format(used=used), Pitfall.EVALUATION_BUILDS_GRAPHS) == found


@pytest.mark.parametrize("stops", ["scores.max() < 0", "len(scores) == x.size(1)"])
def test_leaving_a_loop_before_backward_is_no_evaluation(stops: str) -> None:
    assert Pitfall.EVALUATION_BUILDS_GRAPHS not in noted(ATTACKED.format(stops=stops))


STATISTICS = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 1)
        def {method}(self, x):
            self.body.eval()
            return self.body(x).sum()
    net = Net()
    for x, y in loader:
        print(net.{called}(x).item())
    """


@pytest.mark.parametrize(
    ("method", "called", "found"), [("forward", "__call__", []), ("score", "score", [8])]
)
def test_a_module_may_keep_the_statistics_of_its_parts(
    method: str, called: str, found: list[int]
) -> None:
    text = STATISTICS.format(method=method, called=called)
    assert rows(text, Pitfall.EVALUATION_BUILDS_GRAPHS) == found


NESTED = """
    class Whole(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(4, 1)

        def forward(self, x):
            return self.part(x)

    whole = Whole()
    whole.eval()
    for x, _ in loader:
        print(whole(x).sum().item())
    """


def test_the_module_that_is_called_is_told_and_not_its_parts() -> None:
    assert rows(NESTED, Pitfall.EVALUATION_BUILDS_GRAPHS) == [13]


def test_a_part_that_a_module_loads_is_evaluated_only_until_somebody_trains() -> None:
    loads = """
    from transformers import BertModel

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = BertModel.from_pretrained("bert")

        def forward(self, text, rows):
            self.encoder(text)
            return rows
    """
    assert rows(loads, Pitfall.EVALUATION_BUILDS_GRAPHS) == []


@pytest.mark.parametrize("switch", ["x.requires_grad_()", "x.requires_grad = True"])
def test_a_batch_that_is_to_require_grad_is_one_whose_gradient_is_wanted(switch: str) -> None:
    attacked = f"""
    def gradients(model, batches):
        model.eval()
        for x, y in batches:
            x = x.cuda()
            {switch}
            yield x, model(x)
    """
    assert rows(attacked, Pitfall.EVALUATION_BUILDS_GRAPHS) == []
    calm = attacked.replace(switch, "y = y.cuda()")
    assert rows(calm, Pitfall.EVALUATION_BUILDS_GRAPHS) == [7]


LEARNING_INPUTS = """
    from data import make
    batches, others = make()
    for _ in range(3):
        for x, y in batches:
            x = x.to("cpu").requires_grad_(True)
            nn.functional.mse_loss(model(x), y).backward()
            optimizer.step()
        model.eval()
        for x, y in others:
            print(nn.functional.mse_loss(model(x), y).item())
    """


def test_a_backward_that_ends_at_a_batch_gets_to_no_evaluation() -> None:
    assert rows(LEARNING_INPUTS, Pitfall.EVALUATION_BUILDS_GRAPHS) == [11]


BY_NAME = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(4, 1)
        def forward(self, x):
            return self.inner(x)
    net = Net()
    net.eval()
    for x, _ in loader:
        print({run}.item())
    """


@pytest.mark.parametrize("run", ["net(x).sum()", "net.forward(x).sum()"])
def test_a_module_evaluates_by_its_forward_too(run: str) -> None:
    assert rows(BY_NAME.format(run=run), Pitfall.EVALUATION_BUILDS_GRAPHS) == [11]


TRAINED_AND_EVALUATED = """
    def train(net, batches, opt):
        net.train()
        for x, y in batches:
            opt.zero_grad()
            net(x).mean().backward()
            opt.step()
    def evaluate(net, batches, meter):
        net.eval()
        for x, y in batches:
            out = net(x)
            meter.update(out.detach())
        {returned}
    def fit(net, batches, opt, meter):
        for epoch in range(10):
            train(net, batches, opt)
            {last}evaluate(net, batches, meter)
    """


def test_no_backward_gets_to_what_a_function_has_evaluated_and_dropped() -> None:
    text = TRAINED_AND_EVALUATED.format(returned="", last="")
    assert rows(text, Pitfall.EVALUATION_BUILDS_GRAPHS) == [11]


def test_a_backward_through_unknown_code_may_get_to_what_is_returned() -> None:
    sums = "total = net.first(batches)"
    text = TRAINED_AND_EVALUATED.replace("net.eval()", f"net.eval()\n        {sums}")
    text = text.replace("out = net(x)", "total = total + net(x)").replace("out.detach()", "y")
    text = text.format(returned="return total", last="meter.last = ")
    assert rows(text, Pitfall.EVALUATION_BUILDS_GRAPHS) == []


def test_who_trains_evaluates_with_grad_mode_on() -> None:
    text = dedent(TRAINED_AND_EVALUATED.format(returned="", last=""))
    faults = analyse(Source("a.py", "import torch\n" + text))
    told = [one for one in faults if one.kind is Pitfall.EVALUATION_BUILDS_GRAPHS]
    kinds = {why.kind for one in told for why in one.assumptions}
    assert told and Kind.EVALUATED_WITH_GRAD_MODE not in kinds


ADAPTED = """
    class Adapted(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(4, 1)

        def forward(self, x):
            return {result}

        def adapted(self, x):
            (step,) = torch.autograd.grad(self.fc(x).sum(), self.fc.weight)
            return x @ (self.fc.weight - step).t()

    learner = Adapted()
    learner.eval()
    for x, _ in loader:
        print(learner(x).sum().item())
    """


@pytest.mark.parametrize(("result", "found"), [("self.adapted(x)", []), ("self.fc(x)", [17])])
def test_a_module_that_adapts_to_what_it_is_given_needs_grad_mode(
    result: str, found: list[int]
) -> None:
    assert rows(ADAPTED.format(result=result), Pitfall.EVALUATION_BUILDS_GRAPHS) == found


METHODS = """
    class Ranker(nn.Module):
        def __init__(self):
            super().__init__()
            self.users, self.items = nn.Embedding(9, 4), nn.Embedding(9, 4)

        def embedded(self, user):
            return self.users(user)

        def score(self, user, item):
            return (self.embedded(user) * self.items(item)).sum(1)

    class Trainer:
        def __init__(self, ranker):
            self.ranker = ranker
            self.optimizer = torch.optim.Adam(ranker.parameters())

        def fit(self, pairs):
            for user, item in pairs:
                self.ranker.{mode}()
                self.optimizer.zero_grad()
                self.ranker.score(user, item).sum().backward()
                self.optimizer.step()
            return self.evaluate(pairs)

        def evaluate(self, pairs):
            self.ranker.eval()
            return [self.ranker.score(user, item).{kept} for user, item in pairs]

    pairs = [(torch.tensor([1, 2]), torch.tensor([3, 4]))] * 2
    print(Trainer(Ranker()).fit(pairs))
    """


@pytest.mark.parametrize("mode", ["train", "eval"])
def test_a_model_is_evaluated_where_its_methods_are_called(mode: str) -> None:
    text = METHODS.format(mode=mode, kept="topk(1)[1]")
    assert rows(text, Pitfall.EVALUATION_BUILDS_GRAPHS) == [28]


def test_a_method_is_differentiated_where_one_of_its_parts_is() -> None:
    text = METHODS.format(mode="eval", kept="item()").replace(
        "return (self.embedded(user) * self.items(item)).sum(1)",
        "self.items(item)\n            return self.embedded(user).sum(1)",
    )
    text = text.replace("return self.evaluate(pairs)", "return user")
    assert rows(text, Pitfall.EVALUATION_BUILDS_GRAPHS) == []


def test_a_method_that_sets_the_mode_itself_evaluates_where_it_runs_the_module() -> None:
    own = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 1)

        def forward(self, x):
            return self.body(x)

        def predict(self, x):
            self.eval()
            return self(x).argmax(-1)

    net = Net()
    for x, _ in loader:
        print(net.predict(x))
    """
    assert rows(own, Pitfall.EVALUATION_BUILDS_GRAPHS) == [12]


def test_a_function_that_is_given_a_module_evaluates_it_where_it_runs_it() -> None:
    given = """
    def accuracy(net, x):
        return net(x).argmax(-1).float().mean()

    for x, _ in loader:
        print(accuracy(model.eval(), x))
    """
    assert rows(given, Pitfall.EVALUATION_BUILDS_GRAPHS) == [3]


@pytest.mark.parametrize("given", ["**batch", "batch"])
def test_a_loss_of_unknown_code_is_computed_from_what_was_put_into_its_batch(given: str) -> None:
    trained = f"""
    from elsewhere import batches, criterion

    frozen = nn.Linear(4, 4).eval()
    for batch in batches:
        batch["made"] = frozen(model(batch["x"]))
        criterion({given})["loss"].backward()
        optimizer.step()
        optimizer.zero_grad()
    """
    assert rows(trained, Pitfall.EVALUATION_BUILDS_GRAPHS) == []


ADAPTING = """
    def slopes(loss, weights):
        {checks}
        return torch.autograd.grad(loss, weights)
    class Learner:
        def __init__(self, model, optimizer):
            self.model, self.optimizer = model, optimizer
        def adapted(self, x):
            weights = list(self.model.weights())
            out = self.model(x)
            return {adapts}
        def train(self, loader):
            self.model.train()
            for x, y in loader:
                self.optimizer.zero_grad()
                self.model(x).mean().backward()
                self.optimizer.step()
        def evaluate(self, loader):
            self.model.eval()
            for x, y in loader:
                with torch.no_grad():
                    print(self.model(x))
                self.adapted(x)
    """


@pytest.mark.parametrize(
    ("adapts", "found"),
    [
        ("torch.autograd.grad(out.mean(), weights)", []),
        ("slopes(out.mean(), weights)", []),
        ("out.mean().item()", [10]),
    ],
)
def test_an_evaluation_that_is_differentiated_by_what_is_not_known_needs_its_graph(
    adapts: str, found: list[int]
) -> None:
    program = ADAPTING.format(adapts=adapts, checks="pass")
    assert rows(program, Pitfall.EVALUATION_BUILDS_GRAPHS) == found


def test_a_function_that_differentiates_what_it_is_given_may_raise_on_another_side() -> None:
    checks = "if len(weights) > 9:\n            raise ValueError"
    program = ADAPTING.format(adapts="slopes(out.mean(), weights)", checks=checks)
    assert rows(program, Pitfall.EVALUATION_BUILDS_GRAPHS) == []


NAMED = """
    class Scores:
        def __init__(self, values):
            self.values = values
    def {name}(batches):
        total = 0
        for x, _ in batches:
            {used}
        return total
    for x, y in loader:
        optimizer.zero_grad()
        F.mse_loss(model(x), y).backward()
        optimizer.step()
    {name}(loader)
    """


@pytest.mark.parametrize(
    ("name", "used", "told"),
    [
        ("validate", "total += model(x).sum().item()", [8]),
        ("penalty", "total += model(x).sum().item()", []),
        ("validate", "total += Scores(model(x)).values.sum().item()", []),
        ("validate", "model(x).sum().backward()", []),
    ],
)
def test_a_function_may_say_by_its_name_that_it_evaluates(
    name: str, used: str, told: list[int]
) -> None:
    program = NAMED.format(name=name, used=used)
    assert rows(program, Pitfall.EVALUATION_BUILDS_GRAPHS) == told


def test_a_function_whose_results_are_trained_on_elsewhere_is_no_evaluation() -> None:
    program = """
    def evaluate(x):
        return model(x).sum()
    for x, y in loader:
        before = evaluate(x).detach()
        optimizer.zero_grad()
        (evaluate(x) - before).square().backward()
        optimizer.step()
    """
    assert rows(program, Pitfall.EVALUATION_BUILDS_GRAPHS) == []


def test_what_only_a_name_tells_is_assumed() -> None:
    program = NAMED.format(name="validate", used="total += model(x).sum().item()")
    faults = analyse(Source("program.py", HEAD + dedent(program)))
    told = [one for one in faults if one.kind is Pitfall.EVALUATION_BUILDS_GRAPHS]
    assert [each.kind for one in told for each in one.assumptions] == [Kind.MEANT_AS_EVALUATION]


SAMPLING = """
cell = nn.Linear(4, 4)
steps = torch.optim.SGD(cell.parameters(), lr=0.1)

def sample(count, kept):
    x = torch.randn(1, 4)
    for t in range(count):
        {first}
        x = {step}
        kept.append({keeps})
    return x{gives}

states = []
for x in torch.randn(9, 1, 4):
    steps.zero_grad()
    cell(x).sum().backward()
    steps.step()
    end = sample(5, states)
    {then}
"""
PLAIN = {"first": "pass", "step": "cell(x).tanh()", "keeps": "t", "gives": ".detach()"}


def sampled(then: str = "pass", **parts: str) -> bool:
    program = SAMPLING.format(then=then, **(PLAIN | parts))
    return Pitfall.EVALUATION_BUILDS_GRAPHS in noted(program)


def test_a_graph_over_all_steps_of_a_sample_that_is_only_read_is_told() -> None:
    assert sampled()


@pytest.mark.parametrize(
    ("then", "parts"),
    [
        ("pass", {"first": "x = x.detach()"}),
        ("pass", {"step": "torch.tanh(x)"}),
        ("pass", {"gives": ""}),
        ("sum(states).sum().backward()", {"keeps": "x"}),
    ],
)
def test_a_graph_of_one_step_or_one_that_is_given_on_is_not(
    then: str, parts: dict[str, str]
) -> None:
    assert not sampled(then, **parts)


def test_the_layers_of_one_call_are_no_steps() -> None:
    program = """
def energies(x):
    return model(x).detach().numpy()

for x, y in loader:
    optimizer.zero_grad()
    F.mse_loss(model(x), y).backward()
    optimizer.step()
    energies(x)
"""
    assert Pitfall.EVALUATION_BUILDS_GRAPHS not in noted(program)


def test_a_method_that_sets_the_mode_by_way_of_another_evaluates_where_it_runs_the_module() -> None:
    own = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Linear(4, 1)

        def forward(self, x):
            return self.body(x)

        def fit(self, batches):
            optimizer = torch.optim.SGD(self.parameters(), 0.1)
            for x, _ in batches:
                self._check(x)
                self.train()
                optimizer.zero_grad()
                self(x).sum().backward()
                optimizer.step()
                self._check(x)

        def _check(self, x):
            self.eval()
            print(self(x).sum().item())

    net = Net()
    for _ in range(9):
        net.fit(loader)
    """
    assert rows(own, Pitfall.EVALUATION_BUILDS_GRAPHS) == [22]


HANDED = """
    from package import fit

    def train(net, optimizer, x):
        def closure():
            {within}
            score = net(x).mean().item()
            optimizer.zero_grad()
            (score + net.weight.sum()).backward()

        fit(optimizer, closure)
        net.eval()
    """


@pytest.mark.parametrize(
    ("within", "found"), [("net.train()", []), ("pass", []), ("net.eval()", [7])]
)
def test_a_function_that_is_handed_over_runs_before_what_comes_behind(
    within: str, found: list[int]
) -> None:
    assert rows(HANDED.format(within=within), Pitfall.EVALUATION_BUILDS_GRAPHS) == found
