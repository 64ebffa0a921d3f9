"""Methods of trackers that bear the names of functions of one tensor."""

from tests.vm.running import kinds

TRACKED = """
def train(tracker, model, batches, optimizer):
    for batch in batches:
        loss = nn.functional.mse_loss(model(batch), batch)
        tracker.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        tracker.log({"loss": loss.item()}, step=3)
"""


def test_what_logs_numbers_is_no_tensor() -> None:
    assert kinds(TRACKED) == []
