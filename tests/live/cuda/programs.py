"""Runs programs on a GPU, with and without the tracer."""

import gc
import io
from collections.abc import Callable
from contextlib import redirect_stdout
from textwrap import dedent

import torch

from autograd_lint.live.findings import findings_of
from autograd_lint.live.tracing import Tracer

HEAD = """
import torch
from torch import nn
import torch.nn.functional as F
def bits(*tensors):
    for tensor in tensors:
        print(tensor.detach().cpu().reshape(-1).view(torch.int32).tolist())
"""


def on_gpu(source: str) -> str:
    """A program that makes its tensors on the GPU; its lines are one further down."""
    indent = source[: len(source) - len(source.lstrip())].rpartition("\n")[2]
    head = f'import torch\n{indent}torch.set_default_device("cuda")'
    return source.replace("import torch", head, 1)


def printed(source: str, tracer: Tracer | None = None) -> str:
    """What a program prints in this process."""
    gc.collect()
    torch.manual_seed(0)
    code = compile(HEAD + dedent(source), "program.py", "exec")
    output = io.StringIO()
    with redirect_stdout(output):
        if tracer is None:
            exec(code, {"__name__": "__main__"})
        else:
            with tracer:
                exec(code, {"__name__": "__main__"})
    return output.getvalue()


def codes(tracer: Tracer) -> list[str]:
    """The rules of what was found."""
    return [one.name for one in findings_of(tracer.faults)]


def measured(run: Callable[[], object], measure: Callable[[], int]) -> int:
    """By how much a count of torch's differs after a run, what came before it being gone."""
    gc.collect()
    torch.cuda.synchronize()
    before = measure()
    run()
    torch.cuda.synchronize()
    return measure() - before
