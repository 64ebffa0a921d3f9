"""Functions that nothing calls, and that do a whole training."""

from tests.vm.running import kinds

TEXT = """
def train(loader{given}):
    encoder, head = nn.Linear(2, 2), nn.Linear(2, 1)
    {made}
    for x in loader:
        optimizer.zero_grad()
        head(encoder(x)).sum().backward()
        optimizer.step()
"""
MADE = "optimizer = torch.optim.SGD(head.parameters(), lr=0.1)"


def test_who_trains_what_is_known_of_a_function_that_makes_its_optimizer() -> None:
    assert kinds(TEXT.format(given="", made=MADE)) == ["no-optimizer"]


def test_an_optimizer_that_is_given_may_have_any_parameters() -> None:
    assert "no-optimizer" not in kinds(TEXT.format(given=", optimizer", made="pass"))
