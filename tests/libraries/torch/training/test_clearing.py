"""Gradients that code which is not seen clears."""

from tests.vm.running import kinds

LOOP = """
import normflows as nf
model = nn.Linear(2, 1)
optimizer = torch.optim.Adam(model.parameters())
for _ in range(10):
    loss = model(torch.randn(3, 2)).pow(2).mean()
    loss.backward()
    optimizer.step()
    {}
"""


def test_a_function_of_a_package_clears_where_its_name_says_so() -> None:
    assert kinds(LOOP.format("nf.utils.clear_grad(model)")) == []
    assert kinds(LOOP.format("nf.reset_gradients(model.parameters())")) == []


def test_another_function_does_not() -> None:
    assert kinds(LOOP.format("nf.utils.update_lipschitz(model, 5)")) == ["missing-zero-grad"]
