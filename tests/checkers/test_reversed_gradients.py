"""Gradients that are reversed for all terms of a loss."""

import pytest

from tests.vm.running import kinds

TEXT = """
encoder, label, domain = nn.Linear(4, 4), nn.Linear(4, 1), nn.Linear(4, 1)
features = encoder(torch.ones(2, 4))
{hooked}
task, adversary = label(features).square().mean(), domain({given}).square().mean()
{walked}
"""
BOTH = "(task + adversary).backward()"


def text(
    hook: str = "lambda grad: -grad", given: str = "features", walked: str = BOTH, own: str = ""
) -> str:
    """A program that reverses the gradient of what two heads are given, or of a tensor of one."""
    hooked = f"{own}\n{given}.register_hook({hook})"
    return "from torch import nn\n" + TEXT.format(hooked=hooked, given=given, walked=walked)


@pytest.mark.parametrize(
    "hook", ["lambda grad: -grad", "lambda g: -0.3 * g", "lambda g: g.neg() * 2", "torch.neg"]
)
def test_what_two_terms_are_computed_from_is_reversed_for_both(hook: str) -> None:
    told = "hook-reverses-all" in kinds(text(hook))
    assert told is (hook != "torch.neg")


def test_a_tensor_that_the_adversary_alone_is_given_is_quiet() -> None:
    assert kinds(text(given="against", own="against = features * 1.0")) == []


@pytest.mark.parametrize(
    "hook", ["lambda g: 0.5 * g", "lambda g: g.clamp(-1, 1)", "lambda g: g - g.mean()"]
)
def test_a_hook_that_scales_or_bounds_is_quiet(hook: str) -> None:
    assert "hook-reverses-all" not in kinds(text(hook))


def test_one_term_alone_may_be_reversed() -> None:
    assert "hook-reverses-all" not in kinds(text(walked="adversary.backward()"))


def test_where_the_encoder_has_a_way_of_its_own_two_adversaries_may_share_a_reversal() -> None:
    walked = "(encoder(torch.ones(2, 4)).mean() + task + adversary).backward()"
    assert "hook-reverses-all" not in kinds(text(walked=walked))
