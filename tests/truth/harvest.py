"""Finds the calls that a live torch accepts on 3 by 3 matrices and vectors of three.

`python -m tests.truth.harvest > tests/truth/harvested.txt` writes a line a template: the shape of
its result (`mat.`, `vec.` and so on with a dot for in-place methods), a space, the template.
"""

import contextlib
import io
import re
import warnings
from collections.abc import Iterator

import torch
import torch.nn.functional as F

from autograd_lint.operators.table import load

ARGUMENTS = ["", "{mat}", "{vec}", "2", "0", "0, {idx}", "{mat}, {mat}", "1, 0", "{same} > 0, 1.0"]
PLACES = {"{mat}": "mat", "{vec}": "vec", "{idx}": "idx", "{same}": "same"}
SHAPES = {(3, 3): "mat", (3,): "vec", (): "scalar"}
UNWANTED = re.compile(
    r"^_|sparse|quant|cuda|xpu|named?_|names|refine|rename|resize|set_|apply|map_|map2|dense|mkldnn|"
    r"requires_grad|retain|detach|share|storage|backward|register|numpy|type|hpu|ipu|mtia|pin_mem|"
    r"empty|random_|rand|module_load|copy_|fbgemm|miopen|cudnn|inference|channel_shuffle|from|"
    r"grad|complex|unsafe|stft|max_pool|pool|conv|batch_norm|instance_norm|embedding_bag|bool|"
    r"swap_|bernoulli_|multi_head|nested|tolist|item$|data$|cholesky|lu_|linalg|orgqr|ormqr"
)


def operators() -> Iterator[str]:
    """The heads of templates: methods, functions of torch and of nn.functional."""
    for name in sorted(load()):
        if UNWANTED.search(name.rsplit(".", 1)[-1]):
            continue
        if name.startswith("nn.functional."):
            yield f"F.{name[14:]}({{self}}"
        elif "." not in name and hasattr(torch.Tensor, name):
            yield f"{{self}}.{name}("
        elif "." not in name and hasattr(torch, name):
            yield f"torch.{name}({{self}}"


def templates() -> Iterator[tuple[str, str]]:
    """Every accepted call with the shape of its result."""
    for head in operators():
        for kind in ("mat", "vec"):
            for arguments in ARGUMENTS:
                comma = ", " if arguments and not head.endswith("(") else ""
                template = head + comma + arguments + ")"
                for hole in ("{self}", "{same}"):
                    template = template.replace(hole, f"{{{kind}}}")
                found = accepted(template, kind)
                if found:
                    yield found, template


def accepted(template: str, kind: str) -> str:
    """The shape of the result (with a dot where the first argument was written); empty: refused."""
    tensors = {"mat": torch.rand(3, 3) + 0.5, "vec": torch.rand(3) + 0.5}
    names = {"torch": torch, "F": F, "idx": torch.tensor([0, 2, 1]), **tensors}
    before = tensors[kind]._version
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("error")
            result = eval(template.replace("{", "").replace("}", ""), names)
    except Exception:
        return ""
    if not isinstance(result, torch.Tensor) or result.dtype != torch.float32:
        return ""
    shape = SHAPES.get(tuple(result.shape), "")
    if tensors[kind]._version == before:
        return shape
    return f"{shape}." if "_(" in template and result is tensors[kind] and shape == kind else ""


if __name__ == "__main__":
    for shape, template in sorted(set(templates())):
        print(shape, template)
