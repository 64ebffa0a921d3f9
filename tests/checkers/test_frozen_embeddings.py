"""Embeddings that are frozen, and given to an optimizer by their name."""

import pytest

from tests.vm.running import kinds

TEXT = """
class Tagger(nn.Module):
    def __init__(self, vectors):
        super().__init__()
        self.words = nn.Embedding.from_pretrained({made})
        self.out = nn.Linear(2, 1)

    def forward(self, x):
        return self.out(self.words(x)).sum()

net = Tagger(torch.ones(5, 2))
{between}
optimizer = torch.optim.SGD({given}, lr=0.1)
net(torch.tensor([1])).backward()
optimizer.step()
"""
GROUPS = "[{'params': net.words.parameters()}, {'params': net.out.parameters()}]"


def text(made: str = "vectors", between: str = "pass", given: str = GROUPS) -> str:
    """A program that trains a module with an embedding of vectors."""
    return TEXT.format(made=made, between=between, given=given)


@pytest.mark.parametrize("made", ["vectors", "vectors, True", "vectors, padding_idx=0"])
def test_an_embedding_is_frozen_unless_told_otherwise(made: str) -> None:
    assert kinds(text(made)) == ["embedding-frozen"]


def test_the_weight_may_be_named_itself() -> None:
    assert kinds(text(given="[net.words.weight, *net.out.parameters()]")) == ["embedding-frozen"]


@pytest.mark.parametrize("made", ["vectors, False", "vectors, freeze=False"])
def test_an_embedding_that_is_not_frozen_is_quiet(made: str) -> None:
    assert kinds(text(made)) == []


def test_an_embedding_may_be_switched_on_later() -> None:
    assert kinds(text(between="net.words.weight.requires_grad = True")) == []


def test_all_parameters_of_a_module_may_be_given() -> None:
    assert kinds(text(given="net.parameters()")) == []
