"""Gradients that a wrapper never averages over processes."""

from pathlib import Path

import pytest

from tests.live.pitfalls.training import here, told

SETUP = """
    import tempfile
    import torch.distributed as dist
    from torch.nn.parallel import DistributedDataParallel
    with tempfile.NamedTemporaryFile() as file:
        dist.init_process_group("gloo", init_method=f"file://{file.name}", rank=0, world_size=1)
    ddp = DistributedDataParallel(net)
    opt = torch.optim.SGD(ddp.parameters(), lr=0.1)
    """

WRONG = {
    "the module inside is called": SETUP
    + """
    for _ in range(4):
        opt.zero_grad()
        (ddp.module(x) - y).square().mean().backward()  # here
        opt.step()
    dist.destroy_process_group()
    """,
    "all batches are kept apart": SETUP
    + """
    for _ in range(4):
        opt.zero_grad()
        with ddp.no_sync():
            for one in x.split(2):
                ddp(one).square().mean().backward()  # here
        opt.step()
    dist.destroy_process_group()
    """,
}

RIGHT = {
    "the wrapper is called": SETUP
    + """
    for _ in range(4):
        fit((ddp(x) - y).square().mean())
    dist.destroy_process_group()
    """,
    "the last batch of each step is averaged": SETUP
    + """
    for _ in range(4):
        opt.zero_grad()
        with ddp.no_sync():
            ddp(x[:2]).square().mean().backward()
        ddp(x[2:]).square().mean().backward()
        opt.step()
    dist.destroy_process_group()
    """,
    "the program averages them itself": SETUP
    + """
    for _ in range(4):
        opt.zero_grad()
        (ddp.module(x) - y).square().mean().backward()
        for p in ddp.parameters():
            dist.all_reduce(p.grad)
        opt.step()
    dist.destroy_process_group()
    """,
}


@pytest.mark.parametrize("name", WRONG)
def test_gradients_that_are_never_averaged_are_told(name: str, tmp_path: Path) -> None:
    assert told(WRONG[name], tmp_path) == here("replica-bypassed", WRONG[name])


@pytest.mark.parametrize("name", RIGHT)
def test_gradients_that_are_averaged_by_the_wrapper_or_the_program_are_quiet(
    name: str, tmp_path: Path
) -> None:
    assert told(RIGHT[name], tmp_path) == []
