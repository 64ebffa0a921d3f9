"""On which device witnesses run."""

from autograd_lint.errors import Trouble


def device_for(choice: str) -> str:
    """`cpu` or `cuda`, for those or `auto`; raises Trouble where CUDA is asked for in vain."""
    if choice == "cpu":
        return choice
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if choice == "cuda":
        raise Trouble("--device cuda: torch sees no CUDA device here; use `--device cpu`")
    return "cpu"
