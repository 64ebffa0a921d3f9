"""Training steps that are given all they work with, and evaluations that are."""

import ast

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from autograd_lint.evidence.wording import worded
from autograd_lint.facts.roles import Roles, roles_of
from tests.vm.running import faults, kinds

STEP = """
def train(net, data, opt, sched):
    for x, y in data:
        loss = torch.nn.functional.cross_entropy(net(x), y)
        {clear}
        loss.backward()
        opt.step()
        {after}
    sched.step()
"""
SCALED = """
def train(net, data, opt, scaler):
    for x, y in data:
        loss = torch.nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        scaler.scale(loss).backward()
        {unscale}
        torch.nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
"""
TRAINER = """
class Trainer:
    def __init__(self, net, opt, measure):
        self.net = net
        self.opt = opt
        self.measure = measure
    def fit(self, data):
        for x, y in data:
            loss = self.measure(self.net(x), y)
            loss.backward()
            self.opt.step()
            {clear}
"""
RECURRENT = """
def train(net, data, opt, measure, h):
    for x, y in data:
        opt.zero_grad()
        out, h = net(x, {h})
        measure(out, y).backward()
        opt.step()
"""


def roles(text: str, *given: str) -> Roles:
    return roles_of([ast.parse(text)], set(given))


@pytest.mark.parametrize(
    "clear",
    ["opt.zero_grad()", "net.zero_grad()", "for p in net.parameters(): p.grad = None"],
)
def test_a_given_optimizer_adds_up_gradients_that_nothing_clears(clear: str) -> None:
    assert kinds(STEP.format(clear="", after="")) == [Pitfall.MISSING_ZERO_GRAD.value]
    assert kinds(STEP.format(clear=clear, after="")) == []
    assert kinds(STEP.format(clear="", after=clear)) == []


def test_unknown_code_that_is_given_the_optimizer_may_clear() -> None:
    assert kinds(STEP.format(clear="", after="tidy(opt)")) == []


def test_what_is_only_given_is_assumed() -> None:
    (fault,) = faults(STEP.format(clear="", after=""))
    assert "`opt` updates what is trained here" in {worded(why) for why in fault.assumptions}


def test_a_given_scaler_has_gradients_scaled_until_it_takes_that_back() -> None:
    assert kinds(SCALED.format(unscale="")) == [Pitfall.SCALED_GRADIENTS.value]
    assert kinds(SCALED.format(unscale="scaler.unscale_(opt)")) == []


def test_what_an_object_keeps_plays_the_role_that_its_methods_give_it() -> None:
    assert kinds(TRAINER.format(clear="pass")) == [Pitfall.MISSING_ZERO_GRAD.value]
    assert kinds(TRAINER.format(clear="self.opt.zero_grad()")) == []


def test_a_state_is_carried_through_a_given_model() -> None:
    assert kinds(RECURRENT.format(h="h")) == ["graph-freed"]
    assert kinds(RECURRENT.format(h="h.detach()")) == []


def test_the_optimizer_is_what_steps_after_backward() -> None:
    text = "loss.backward()\nopt.step()\nsched.step()"
    assert roles(text, "opt", "sched").optimizer == "opt"
    assert roles("env.step(a)\nloss.backward()\nopt.step()", "opt", "env").optimizer == "opt"


def test_the_optimizer_is_what_is_cleared_as_well() -> None:
    text = "loss.backward()\nsched.step()\nopt.step()\nopt.zero_grad()"
    assert roles(text, "opt", "sched").optimizer == "opt"


def test_of_several_optimizers_none_is_known_to_be_the_one() -> None:
    text = "a.zero_grad()\nb.zero_grad()\nloss.backward()\na.step()\nb.step()"
    assert roles(text, "a", "b").optimizer is None


def test_an_engine_that_owns_the_step_is_no_optimizer() -> None:
    text = "loss = engine(x)\nengine.backward(loss)\nengine.step()"
    assert roles(text, "engine").optimizer is None


def test_what_is_asked_for_may_not_be_there() -> None:
    text = "if opt is not None:\n    opt.zero_grad()\n    loss.backward()\n    opt.step()"
    assert roles(text, "opt").optimizer is None


def test_a_model_is_told_from_a_loss() -> None:
    step = "opt.zero_grad()\nloss = measure(net(x), y)\nloss.backward()\nopt.step()"
    assert roles(step, "net", "measure", "opt").modules == {"net"}
    assert roles("net.eval()\nprint(measure(net(x)))", "net", "measure").modules == {"net"}
    assert roles("print(measure(net(x)))", "net", "measure").modules == frozenset()
    own = "opt.zero_grad()\nout = net(x, labels=y)\nout.loss.backward()\nopt.step()"
    assert roles(own, "net", "opt").modules == {"net"}


APART = """
class Trainer:
    def __init__(self, net, opt, measure):
        self.net, self.opt, self.measure, self.h = net, opt, measure, None

    def one(self, x, y):
        out, h = self.net(x, self.h)
        return {given}

    def loss_of(self, out):
        self.h = {h}
        return {taken}

    def fit(self, data):
        for x, y in data:
            loss = self.loss_of(self.one(x, y))
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
"""


@pytest.mark.parametrize(
    ("given", "h", "taken"),
    [
        ("self.measure(out, y), h", "out[1]", "out[0]"),
        ('{"loss": self.measure(out, y), "h": h}', 'out["h"]', 'out["loss"]'),
        ('{"loss": self.measure(out, y), "h": h}', 'out.pop("h")', 'out.pop("loss")'),
    ],
)
def test_methods_may_hand_a_loss_to_each_other(given: str, h: str, taken: str) -> None:
    text = APART.format(given=given, h=h, taken=taken)
    kept = ["self.net", "self.opt", "self.measure"]
    methods = ast.parse(text).body[0]
    assert isinstance(methods, ast.ClassDef)
    assert roles_of(methods.body[1:], set(kept)).modules == {"self.net"}
    assert kinds(text) == ["graph-freed"]
    assert kinds(text.replace(f"self.h = {h}", f"self.h = {h}.detach()")) == []


ADVERSARIAL = """
def train(gen, disc, loader, gen_opt, disc_opt):
    for real in loader:
        fake = gen(torch.randn(8, 2))
        disc_loss = disc(fake{}).mean() - disc(real).mean()
        disc_opt.zero_grad()
        disc_loss.backward()
        disc_opt.step()
        gen_loss = -disc(fake).mean()
        gen_opt.zero_grad()
        gen_loss.backward()
        gen_opt.step()
"""


def test_of_two_optimizers_each_is_given_beside_a_module() -> None:
    assert kinds(ADVERSARIAL.format("")) == ["graph-freed"]
    assert kinds(ADVERSARIAL.format(".detach()")) == []
    one = ADVERSARIAL.replace("torch.randn(8, 2)", "loader.draw(gen(8))").format("")
    assert "graph-freed" in kinds(one)
    other = ADVERSARIAL.replace("disc(real)", "measure(real)").replace("train(", "train(measure, ")
    assert kinds(other.format("")) == []


def test_several_optimizers_are_those_of_the_modules_that_they_are_named_after() -> None:
    step = """(netG(x) + netD(x)).backward()
optimizer_g.zero_grad(), optimizer_d.zero_grad()
optimizer_g.step(), optimizer_d.step()"""
    names = ("netG", "netD", "optimizer_g", "optimizer_d")
    assert roles(step, *names).pairs == {("optimizer_g", "netG"), ("optimizer_d", "netD")}
    other = step.replace("optimizer_d", "second")
    assert roles(other, "netG", "netD", "optimizer_g", "second").pairs == frozenset()


def test_the_step_of_an_optimizer_uses_what_the_loss_of_another_module_has_added() -> None:
    clear = "        gen_opt.zero_grad()\n"
    text = ADVERSARIAL.replace(clear, "") + clear
    again = text.replace("gen_loss =", "fake = gen(torch.randn(8, 2))\n        gen_loss =")
    assert kinds(again.format("")) == ["foreign-gradient"]
    assert kinds(again.format(".detach()")) == []


def _roles(body: str, *given: str) -> Roles:
    text = f"def fit({', '.join(given)}):\n    for x, y in loader:\n"
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    step = "        optimizer.zero_grad()\n        loss.backward()\n        optimizer.step()\n"
    return roles_of([ast.parse(text + lines + step).body[0]], {*given})


def test_what_is_called_without_grad_mode_is_not_what_learns() -> None:
    body = "with torch.no_grad():\n    wanted = second(x)\nmade = first(x)\nloss = f(made, wanted)"
    found = _roles(body, "first", "second", "optimizer", "loader")
    assert found.modules == {"first"}


@pytest.mark.parametrize(
    ("names", "modules"),
    [
        (("encoder", "decoder"), {"encoder", "decoder"}),
        (("net1", "crop"), {"net1"}),
        (("left", "right"), {"left"}),
    ],
)
def test_of_several_that_are_called_those_named_so_are_modules_else_what_gives_no_loss(
    names: tuple[str, str], modules: set[str]
) -> None:
    one, other = names
    body = f"h = {one}(x)\nloss = (({other}(h) - y) ** 2).mean()"
    assert _roles(body, one, other, "optimizer", "loader").modules == modules


def test_of_one_that_is_called_and_two_losses_it_is_the_module() -> None:
    text = """
def fit(net, one, other, first, second, loader):
    for x, y in loader:
        out = net(x)
        loss = one(out, y)
        first.zero_grad()
        loss.backward()
        first.step()
        loss = other(out, y)
        second.zero_grad()
        loss.backward()
        second.step()
"""
    names = {"net", "one", "other", "first", "second", "loader"}
    assert roles_of([ast.parse(text).body[0]], names).modules == {"net"}
