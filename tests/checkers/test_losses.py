"""Losses of what has lost its graph before they are computed."""

import pytest

from autograd_lint.engine.pitfalls import Pitfall
from tests.checkers.noting import rows
from tests.vm.running import faults, kinds

COPIED = """
import torch.nn.functional as F
{head}
    scores = torch.tensor({given}, dtype=torch.float)
    wanted = torch.tensor([1.0])
    return {loss}
"""


def lost(text: str) -> list[tuple[int, str | None, str]]:
    """The rows where losses lose their graphs, what does, and by what."""
    found = [fault for fault in faults(text) if fault.kind.value == "unrecorded-loss"]
    return [(fault.place.row, fault.tensor, fault.operator) for fault in found if fault.place]


def copied(
    head: str = "def objective(scores: torch.Tensor):",
    given: str = "scores",
    loss: str = "F.mse_loss(scores, wanted)",
) -> bool:
    return bool(lost(COPIED.format(head=head, given=given, loss=loss)))


def test_a_copy_of_a_tensor_trains_nothing() -> None:
    text = COPIED.format(
        head="def objective(scores: torch.Tensor):",
        given="scores",
        loss="F.mse_loss(scores, wanted)",
    )
    assert lost(text) == [(6, "scores", "torch.tensor")]
    assert copied(loss="2 * F.mse_loss(scores, wanted).mean()")
    assert copied(loss="F.mse_loss(scores, wanted), scores")


@pytest.mark.parametrize(
    ("head", "given", "loss"),
    [
        ("def objective(scores):", "scores", "F.mse_loss(scores, wanted)"),
        ("def evaluate(scores: torch.Tensor):", "scores", "F.mse_loss(scores, wanted)"),
        ("def objective(scores: torch.Tensor):", "scores.detach()", "F.mse_loss(scores, wanted)"),
        ("def objective(scores: torch.Tensor):", "scores", "scores.mean()"),
        ("def objective(scores: torch.Tensor, x):", "scores", "F.mse_loss(x, scores)"),
    ],
)
def test_copies_of_data_and_for_looking_at_are_left_alone(head: str, given: str, loss: str) -> None:
    assert not copied(head, given, loss)


FEATURES = """
import torch.nn.functional as F
class Features:
    {decorator}
    def __call__(self, x):
        return torch.stft(x, 8).abs()
class Distance(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = Features()
    {outer}
    def forward(self, made, wanted):
        return {loss}
"""
LOSS = "F.l1_loss(self.features(made), self.features(wanted))"


def features(decorator: str = "@torch.no_grad()", outer: str = "", loss: str = LOSS) -> bool:
    return bool(lost(FEATURES.format(decorator=decorator, outer=outer, loss=loss)))


def test_a_module_compares_what_was_computed_without_gradients() -> None:
    assert features()
    assert features(loss=f"{LOSS}, self.features(made).mean()")


def test_a_loss_with_another_way_to_what_is_trained_has_its_graph() -> None:
    assert not features(decorator="")
    assert not features(loss="F.l1_loss(made, self.features(wanted))")
    assert not features(loss=f"{LOSS} + F.l1_loss(made, wanted)")


def test_what_is_computed_without_gradients_as_a_whole_is_no_loss() -> None:
    assert not features(outer="@torch.no_grad()")


@pytest.mark.parametrize(
    ("term", "found"),
    [
        ("torch.ones(1).expand_as(w * 2)", []),
        ("torch.ones(3).view_as(w * 2)", []),
        ("torch.argmax(w * 2).expand_as(w)", ["constant-loss-term"]),
    ],
)
def test_who_only_gives_a_form_makes_no_constant(term: str, found: list[str]) -> None:
    program = f"""
w = torch.rand(3, requires_grad=True)
loss = w.square().sum() + {term}.sum()
loss.backward()
"""
    assert kinds(program) == found


COMPARED = """
import torch.nn.functional as F
online = nn.Linear(3, 3)
optimizer = torch.optim.SGD(online.parameters(), lr=0.1)
for x in torch.randn(3, 4, 3):
    out = online(x)
    with torch.no_grad():
        quiet = online(x + 1)
    optimizer.zero_grad()
    {loss}.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("loss", "row"),
    [
        ("(F.mse_loss(out, x) + F.mse_loss(out.detach(), quiet.detach()))", 12),
        ("(F.mse_loss(out, x) + 0.1 * F.l1_loss(quiet, quiet + x))", 9),
        ("(F.mse_loss(out, x) + 0.1 * (quiet - x).abs().mean())", 9),
        ("(F.mse_loss(out, x) - F.cosine_similarity(quiet, x).mean())", 9),
        ("(F.mse_loss(out, x) + (quiet - out).abs().mean())", None),
        ("(F.mse_loss(out, x) + ((quiet - x) * out).mean())", None),
        ("(F.mse_loss(out, x) + (out.detach() - x).abs().mean())", None),
        ("(F.mse_loss(out, x) + F.mse_loss(out.detach(), online(x)))", None),
        ("(F.mse_loss(out, x) + F.mse_loss(out, quiet))", None),
        ("(F.mse_loss(out, x) * F.mse_loss(out.detach(), quiet))", None),
        ("(F.mse_loss(out, x) + F.mse_loss(out, x).detach())", None),
    ],
)
def test_a_term_that_compares_two_constants_trains_nothing(loss: str, row: int | None) -> None:
    found = faults(COMPARED.format(loss=loss))
    rows = [one.place and one.place.row for one in found if one.kind.value == "constant-loss-term"]
    assert rows == ([] if row is None else [row])


HARD = """
    for x, y in loader:
        soft = model(x).sigmoid().mean()
        hard = torch.where(soft > 0.5, torch.ones(()), torch.zeros(()))
        loss = hard.data {soft} + sum(p.pow(2).sum() for p in model.parameters())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """


@pytest.mark.parametrize(("soft", "found"), [("- soft.data + soft", []), ("", [4])])
def test_a_hard_value_with_the_gradient_of_a_soft_one(soft: str, found: list[int]) -> None:
    assert rows(HARD.format(soft=soft), Pitfall.CONSTANT_TERM) == found


FLOW = """
    for x, y in loader:
        hidden = model(x)
        slope = torch.where(hidden > 0, 1.0, 0.3)
        loss = nn.functional.mse_loss({out}, y) - slope.log().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    """


@pytest.mark.parametrize(("out", "found"), [("slope * hidden", []), ("model(y)", [4])])
def test_the_slope_of_what_the_loss_differentiates_is_no_lost_term(
    out: str, found: list[int]
) -> None:
    assert rows(FLOW.format(out=out), Pitfall.CONSTANT_TERM) == found


ROLLOUT = """
    actor, value = nn.Linear(4, 2), nn.Linear(4, 1)
    both = torch.optim.SGD([*actor.parameters(), *value.parameters()], lr=0.1)

    @torch.no_grad()
    def act(x):
        return actor(x).log_softmax(-1)

    for x, y in loader:
        loss = value(x).pow(2).mean() - act(x)[:, 0].mean()
        {more}
        both.zero_grad()
        loss.backward()
        both.step()
    """


@pytest.mark.parametrize(
    ("more", "found"), [("pass", [5]), ("loss = loss + actor(x).pow(2).mean()", [])]
)
def test_a_term_under_no_grad_is_all_that_an_optimizer_gets(more: str, found: list[int]) -> None:
    assert rows(ROLLOUT.format(more=more), Pitfall.GRADIENT_CUT) == found


DETACHED = """
def parts(x):
    out = model(x)
    return out, out{cut}.square().mean()

for x, y in loader:
    out, size = parts(x)
    {before}
    loss = F.mse_loss(out, y) + 0.1 * {term}
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""


@pytest.mark.parametrize(
    ("cut", "before", "term", "found"),
    [
        (".detach()", "pass", "size", [4]),
        (".detach()", "pass", "size.sqrt()", [4]),
        ("", "pass", "size", []),
        ("", "size = size.detach()", "size", []),
        (".detach()", "pass", "size * out.mean()", []),
    ],
)
def test_a_term_that_another_function_has_detached_trains_nothing(
    cut: str, before: str, term: str, found: list[int]
) -> None:
    program = DETACHED.format(cut=cut, before=before, term=term)
    assert rows(program, Pitfall.CONSTANT_TERM) == found
