"""On which device witnesses run."""

from autograd_lint.errors import Trouble
from autograd_lint.live.confirm.client import Witnesses


def device_for(choice: str, witnesses: Witnesses) -> str:
    """`cpu` or `cuda`, for those or `auto`; raises Trouble where CUDA is asked for in vain.

    The process that runs witnesses is asked what there is: torch is not imported here.
    """
    if choice == "cpu":
        return choice
    if witnesses.has_cuda():
        return "cuda"
    if choice == "cuda":
        raise Trouble(
            "--device cuda: torch sees no CUDA device in the sandbox here; use `--device cpu`"
        )
    return "cpu"
