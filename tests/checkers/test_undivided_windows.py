"""Windows of accumulated batches whose loss nothing divides by their number."""

import pytest

from autograd_lint.checkers.undivided_windows import undivided_window
from autograd_lint.project.source import Source

LOOP = """
parser.add_argument("--accum-steps", type=int, default=4)
for step, (x, y) in enumerate(loader):
    loss = loss_of(model(x), y){loss}
    loss.backward()
    {after}
    if (step + 1) % args.accum_steps == 0:
        optimizer.step()
"""


@pytest.mark.parametrize(
    "after",
    ["pass", "loss = loss / args.accum_steps", "total += loss.item() / args.accum_steps"],
)
def test_a_window_of_whose_length_only_the_log_knows_is_undivided(after: str) -> None:
    assert undivided_window(Source("a.py", LOOP.format(loss="", after=after))) == "accum_steps"


@pytest.mark.parametrize(
    ("loss", "after"),
    [
        (" / args.accum_steps", "pass"),
        (" * (1 / args.accum_steps)", "pass"),
        ("", "model.weight.grad.div_(args.accum_steps)"),
        ("", "lr = args.lr / args.accum_steps"),
        ("\n    loss /= args.accum_steps", "pass"),
    ],
)
def test_a_window_by_which_anything_else_is_divided_is_not(loss: str, after: str) -> None:
    assert undivided_window(Source("a.py", LOOP.format(loss=loss, after=after))) is None


@pytest.mark.parametrize(
    ("said", "told"),
    [("default=1", False), ("type=int", False), ("default=8", True)],
)
def test_a_window_of_one_batch_unless_somebody_asks_for_more_is_not(said: str, told: bool) -> None:
    text = LOOP.format(loss="", after="pass").replace("default=4", said)
    assert (undivided_window(Source("a.py", text)) is not None) is told


def test_how_long_a_window_is_that_is_configured_elsewhere_is_not_known() -> None:
    loop = "\n".join(LOOP.format(loss="", after="pass").splitlines()[2:])
    assert undivided_window(Source("a.py", loop)) is None
    given = f"accum_steps = config.read()\n{loop}"
    assert undivided_window(Source("a.py", given)) == "accum_steps"
