"""Training steps that do less, or more, than they seem to."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import noted, rows
from tests.vm.running import kinds

GAN = """
dis = nn.Linear(1, 1)
opt_d = torch.optim.SGD(dis.parameters(), lr=0.1)
for x, y in loader:
    fake = model(x)
    optimizer.zero_grad()
    (F.mse_loss(fake, y) - dis(FAKE).mean()).backward()
    optimizer.step()
    opt_d.zero_grad()
    (dis(model(x).detach()).mean() - dis(y).mean()).backward()
    opt_d.step()
"""
JOINT = """
dis = nn.Linear(1, 1)
both = torch.optim.SGD([*model.parameters(), *dis.parameters()], lr=0.1)
for x, y in loader:
    out = model(x)
    both.zero_grad()
    (F.mse_loss(out, y) + F.mse_loss(dis(out.detach()), y)).backward()
    both.step()
"""
DQN = """
target = TARGET
target.load_state_dict(model.state_dict())
for x, y in loader:
    wanted = y + 0.9 * target(x)
    loss = F.mse_loss(model(x), wanted)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
CREATED = """
for x, y in loader:
    loss = F.mse_loss(model(x), y)
    loss.backward(create_graph=True)
    curvature = sum((p.grad**2).sum() for p in model.parameters())
    optimizer.step()
    CLEAR
"""


def test_a_term_that_only_the_other_network_learns_from() -> None:
    program = GAN.replace("FAKE", "fake.detach()")
    assert rows(program, Pitfall.CONSTANT_TERM) == [7]


def test_a_term_that_the_generator_learns_from() -> None:
    assert noted(GAN.replace("FAKE", "fake")) == set()


def test_a_term_on_detached_features_of_a_joint_optimizer() -> None:
    assert noted(JOINT) == set()


@pytest.mark.parametrize("target", ["model", "copy.copy(model)"])
def test_a_target_that_is_the_network_itself(target: str) -> None:
    assert rows(DQN.replace("TARGET", target), Pitfall.TARGET_LEARNS) == [5]


def test_two_outputs_of_one_network_may_be_compared() -> None:
    program = """
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), model(x + 0.1)).backward()
            optimizer.step()
        """
    assert noted(program) == set()


def test_gradients_are_left_with_graphs() -> None:
    assert rows(CREATED.replace("CLEAR", "pass"), Pitfall.GRADIENT_KEEPS_GRAPH) == [4]


def test_gradients_with_graphs_are_cleared() -> None:
    assert Pitfall.GRADIENT_KEEPS_GRAPH not in noted(CREATED.replace("CLEAR", "model.zero_grad()"))


def test_an_array_is_cut_out_and_put_back() -> None:
    program = """
        import numpy as np

        hidden = model[0](loader[0][0]).detach().numpy()
        doubled = np.asarray(hidden[:, None, :]).reshape(3, 8).astype(np.float32) * 2
        optimizer.zero_grad()
        model[2](torch.from_numpy(doubled)).sum().backward()
        optimizer.step()
        """
    assert rows(program, Pitfall.GRADIENT_CUT) == [4]


@pytest.mark.parametrize(("divided", "found"), [("", True), (" / 2", False), (" * 0.5", False)])
def test_gradients_summed_over_batches(divided: str, found: bool) -> None:
    program = f"""
        accumulation = 2
        for i, (x, y) in enumerate(loader):
            loss = F.mse_loss(model(x), y){divided}
            loss.backward()
            if (i + 1) % accumulation == 0:
                optimizer.step()
                optimizer.zero_grad()
        """
    assert (Pitfall.ACCUMULATION_UNSCALED in noted(program)) is found


@pytest.mark.parametrize(("clipped", "found"), [("", False), (", clip_grad_norm_", True)])
def test_a_factor_of_the_gradient_is_nothing_to_adam_unless_it_is_clipped(
    clipped: str, found: bool
) -> None:
    program = f"""
        from torch.nn.utils import parameters_to_vector{clipped}

        accumulation = 2
        optimizer = torch.optim.Adam(model.parameters())
        for i, (x, y) in enumerate(loader):
            F.mse_loss(model(x), y).backward()
            if (i + 1) % accumulation == 0:
                optimizer.step()
                optimizer.zero_grad()
        """
    assert (Pitfall.ACCUMULATION_UNSCALED in noted(program)) is found


@pytest.mark.parametrize(
    ("block", "found"),
    [("if True:", True), ("with torch.no_grad():", False), ("with torch.inference_mode():", False)],
)
def test_evaluation(block: str, found: bool) -> None:
    program = f"""
        model.eval()
        {block}
            total = sum(F.mse_loss(model(x), y).item() for x, y in loader)
        """
    assert (Pitfall.EVALUATION_BUILDS_GRAPHS in noted(program)) is found


COPIED = """
    for x, y in loader:
        optimizer.zero_grad()
        loss = F.mse_loss(model(x), y).detach().requires_grad_()
        loss.backward()
        optimizer.step()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    """


def test_after_a_copied_loss_the_run_goes_on_with_the_loss_itself() -> None:
    assert noted(COPIED) == {Pitfall.LOSS_REBUILT, Pitfall.CLIP_IN_VAIN}


def test_fine_tuning_in_evaluation_mode() -> None:
    program = """
        model.eval()
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """
    assert noted(program) == set()


@pytest.mark.parametrize(("call", "found"), [("model.forward(x)", True), ("model(x)", False)])
def test_forward_passes_hooks_over(call: str, found: bool) -> None:
    program = f"""
        model.register_forward_hook(print)
        for x, _ in loader:
            {call}
        """
    assert (Pitfall.FORWARD_CALLED in noted(program)) is found


def test_forward_of_a_module_without_hooks_is_only_possible() -> None:
    assert Pitfall.FORWARD_CALLED not in noted("model.forward(loader[0][0])")


CURVED = """
from somewhere import Curved

net = nn.Linear(4, 1)
own = {made}(net.parameters())
for x, y in loader:
    own.zero_grad()
    net(x).sum().backward(create_graph=True)
    own.step()
"""


def test_an_optimizer_that_is_not_known_may_differentiate_gradients() -> None:
    assert Pitfall.NEEDLESS_RETAIN not in noted(CURVED.format(made="Curved"))
    assert Pitfall.NEEDLESS_RETAIN in noted(CURVED.format(made="torch.optim.Adam"))


OWN = """
class Own(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {})

    def step(self, closure=None):
        weights = self.param_groups[0]["params"]
        curvatures = torch.autograd.grad([w.grad.sum() for w in weights], weights)
        for weight, curvature in zip(weights, curvatures):
            weight.data.sub_(0.1 * weight.grad.data / curvature.abs())
"""


def test_an_optimizer_of_the_program_may_differentiate_gradients() -> None:
    program = CURVED.replace("net(x)", "net(x).pow(2)")
    assert Pitfall.GRADIENT_KEEPS_GRAPH in noted(program.format(made="torch.optim.Adam"))
    assert Pitfall.GRADIENT_KEEPS_GRAPH not in noted(OWN + program.format(made="Own"))


GIVEN = """
class Agent:
    def __init__(self, q, target):
        self.q, self.target = q, target
        self.opt = torch.optim.Adam(q.parameters())

    def learn(self, s, a, r, later, done):
        value = self.q(s).gather(1, a)
        wanted = r + 0.9 * NET(later).max(1)[0] * (1 - done)
        loss = F.mse_loss(value, wanted)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
"""


@pytest.mark.parametrize(("net", "learns"), [("self.q", True), ("self.target", False)])
def test_a_given_network_is_compared_with_itself(net: str, learns: bool) -> None:
    assert (Pitfall.TARGET_LEARNS in noted(GIVEN.replace("NET", net))) is learns


FOLLOWED = """
class Agent:
    def __init__(self, q, value, target):
        self.q, self.value, self.target = q, value, target
        BEGUN
        self.opt = torch.optim.Adam([*q.parameters(), *value.parameters()])

    def learn(self, s, r, later):
        loss = F.mse_loss(self.q(s), COMPUTED(r + 0.9 * self.target(later)))
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        AFTER
"""
FILLED = "for t, p in zip(target.parameters(), value.parameters()): t.data.copy_(p.data)"
BLENDED = """for t, p in zip(self.target.parameters(), self.q.parameters()):
            t.data.copy_(tau * p.data + (1 - tau) * t.data)"""


@pytest.mark.parametrize(
    "begun",
    ["target.load_state_dict(q.state_dict())", "self.target = copy.deepcopy(q)", FILLED],
)
def test_a_given_network_that_follows_another_one_is_a_target(begun: str) -> None:
    program = FOLLOWED.replace("BEGUN", begun).replace("AFTER", "pass")
    assert rows(program.replace("COMPUTED", ""), Pitfall.TARGET_LEARNS) == [9]
    assert rows(program.replace("COMPUTED", "torch.detach"), Pitfall.TARGET_LEARNS) == []


def test_a_given_network_that_follows_nothing_is_no_target() -> None:
    program = FOLLOWED.replace("BEGUN", "pass").replace("AFTER", "pass").replace("COMPUTED", "")
    assert rows(program, Pitfall.TARGET_LEARNS) == []


def test_a_given_network_that_is_blended_with_another_one_is_a_target() -> None:
    program = FOLLOWED.replace("BEGUN", "pass").replace("AFTER", BLENDED)
    assert rows(program.replace("COMPUTED", ""), Pitfall.TARGET_LEARNS) == [9]
    assert rows(program.replace("COMPUTED", "torch.detach"), Pitfall.TARGET_LEARNS) == []


WRITES_BACK = """
class Plain(torch.optim.Optimizer):
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                values = p.data.float()
                values.add_(p.grad.data, alpha=-0.1)
                p.data.copy_(values)

plain = Plain(model.parameters(), {})
for x, y in loader:
    plain.zero_grad()
    F.mse_loss(model(x), model(x + 0.1)).backward()
    plain.step()
"""


def test_an_optimizer_that_writes_back_makes_no_copy() -> None:
    assert Pitfall.TARGET_LEARNS not in noted(WRITES_BACK)


OVERWRITTEN = """
g = torch.randn(3, requires_grad=True)
d = torch.randn(3, requires_grad=True)
for_g, for_d = torch.optim.Adam([g]), torch.optim.Adam([d])

def clear():
    for weight in (g, d):
        data = weight.grad.data
        {clear}

for _ in range(100):
    (torch.ones(3) * g * d).sigmoid().mean().backward()
    for_d.step()
    clear()
    (-torch.ones(3) * g * d).sigmoid().mean().backward()
    for_g.step()
    clear()
"""


@pytest.mark.parametrize(
    ("clear", "expected"),
    [
        ("weight.grad = data.new().resize_as_(data).zero_()", []),
        ("weight.grad = torch.zeros_like(data)", []),
        ("pass", ["missing-zero-grad"]),
    ],
)
def test_a_gradient_that_is_replaced_by_zeros_is_cleared(clear: str, expected: list[str]) -> None:
    assert sorted(kinds(OVERWRITTEN.format(clear=clear))) == sorted(expected)


AVERAGED = """
    average = copy.deepcopy(model)
    for x, y in loader:
        optimizer.zero_grad()
        {grad}
        LOSS.backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    "loss",
    [
        "-F.cosine_similarity(model(x), average(x)).mean()",
        "F.kl_div(model(x).log_softmax(-1), average(x).softmax(-1))",
    ],
)
@pytest.mark.parametrize(
    ("freeze", "learns"), [("pass", True), ("average.requires_grad_(False)", False)]
)
def test_an_average_that_a_model_is_compared_with(loss: str, freeze: str, learns: bool) -> None:
    program = AVERAGED.format(grad=freeze).replace("LOSS", loss)
    assert (Pitfall.TARGET_LEARNS in noted(program)) is learns


SCORED = """
    for x, y in loader:
        optimizer.zero_grad()
        difference = y + 0.5 * model(x) - model(x * 2)
        {loss}.mean().backward()
        optimizer.step()
    """


@pytest.mark.parametrize(
    ("loss", "learns"),
    [
        ("difference.pow(2)", True),
        ("(difference * difference)", True),
        ("F.smooth_l1_loss(difference, y)", True),
        ("difference", False),
        ("difference.clamp(min=0)", False),
        ("F.relu(difference)", False),
    ],
)
def test_a_difference_is_a_comparison_where_its_sign_does_not_count(
    loss: str, learns: bool
) -> None:
    assert (Pitfall.TARGET_LEARNS in noted(SCORED.format(loss=loss))) is learns


TWINS = """
twin = copy.deepcopy(model)
own = torch.optim.SGD({held}, lr=0.1)
for x, y in loader:
    own.zero_grad()
    F.mse_loss(model(x), twin(x)).backward()
    own.step()
"""


@pytest.mark.parametrize(
    ("held", "learns"),
    [("twin.parameters()", False), ("[*model.parameters(), *twin.parameters()]", True)],
)
def test_a_copy_with_an_optimizer_to_itself_is_no_target(held: str, learns: bool) -> None:
    assert (Pitfall.TARGET_LEARNS in noted(TWINS.format(held=held))) is learns


SCALED = """
net = nn.Linear(3, 3)
with torch.no_grad():
    {filled}
optimizer = torch.optim.SGD(net.parameters(), 0.1)
for _ in range(3):
    hidden = net(torch.randn(2, 3))
    optimizer.zero_grad()
    (hidden - net(hidden)).pow(2).mean().backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("filled", "found"),
    [
        ("net.weight[:] *= 0.5", []),
        ("net.weight[0] = net.weight[1]", []),
        ("net.weight.data.copy_(net.weight.data)", ["target-learns"]),
    ],
)
def test_weights_that_are_scaled_where_they_lie_make_no_target(
    filled: str, found: list[str]
) -> None:
    assert kinds(SCALED.format(filled=filled)) == found


RECOMPUTED = """
class Lookup(torch.autograd.Function):
    @staticmethod
    def forward(ctx, table, x):
        ctx.save_for_backward(table.detach(), x)
        return table * x

    @staticmethod
    def backward(ctx, g):
        table, x = ctx.saved_tensors
        table.requires_grad = True
        with torch.enable_grad():
            y = table * x
        y.backward(g)
        return table.grad, None

table = nn.Parameter(torch.ones(3))
optimizer = torch.optim.SGD([table], 0.1)
for _ in range(3):
    optimizer.zero_grad()
    Lookup.apply(table, torch.ones(3)).sum().backward()
    optimizer.step()
"""


def test_what_a_custom_function_differentiates_for_itself_cuts_nothing() -> None:
    assert kinds(RECOMPUTED) == []


GIVEN_GAN = """
def train(netG, netD, loader, criterion):
    optD = torch.optim.Adam(netD.parameters())
    optG = torch.optim.Adam(netG.parameters())
    for real in loader:
        netD.zero_grad()
        fake = netG(torch.randn(4, 2))
        (criterion(netD(real), 1) + criterion(netD(fake.detach()), 0)).backward()
        optD.step()
        {clearing}
        criterion(netD(fake), 1).backward()
        optG.step()
"""


@pytest.mark.parametrize(
    ("clearing", "found"),
    [
        ("pass", {Pitfall.MISSING_ZERO_GRAD}),
        ("netG.zero_grad()", set()),
        ("optG.zero_grad()", set()),
    ],
)
def test_a_module_of_a_caller_clears_its_own_gradients_alone(
    clearing: str, found: set[Pitfall]
) -> None:
    assert noted(GIVEN_GAN.format(clearing=clearing)) == found
