"""The names of graph nodes in messages, and the operators that make them.

Node names are those of torch 1.8 to 2.15: `SigmoidBackward`, `SigmoidBackward0`, `Sigmoid`. Source:
tools/autograd/derivatives.yaml (the formula's name) and what composite operators are made of
(aten/src/ATen/native).
"""

from __future__ import annotations

import re
from functools import cache

_END = "Backward0"
_SUFFIX = re.compile(r"Backward(?:Backward)?\d*$")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Nodes that any operator may be called by once a view or an in-place write has gone over it.
VIEWS = _words(
    "asstrided copyslices view unsafeview reshapealias alias t transpose permute expand slice"
    " select squeeze unsqueeze detach clone copy copys"
)
_MATRIX = "mm addmm bmm baddbmm mv dot matmul linear unsafeview view t transpose asstrided expand"
_CONVOLUTION = "convolution cudnnconvolution mkldnnconvolution thnnconv2d slowconvdilated2d conv"
# What operators are in the graph, where that is not their own name.
_MADE_OF: dict[str, str] = {
    **dict.fromkeys(
        ("linear", "matmul", "einsum", "bilinear", "inner", "tensordot"),
        _MATRIX + " sum mul permute",
    ),
    **dict.fromkeys(("conv1d", "conv2d", "conv3d"), _CONVOLUTION + " view squeeze unsqueeze"),
    **dict.fromkeys(
        ("convtranspose1d", "convtranspose2d", "convtranspose3d"), _CONVOLUTION + " view squeeze"
    ),
    **dict.fromkeys(
        ("batchnorm", "batchnorm1d", "batchnorm2d", "batchnorm3d", "syncbatchnorm"),
        "nativebatchnorm cudnnbatchnorm miopenbatchnorm batchnorm syncbatchnormfunction",
    ),
    "layernorm": "nativelayernorm layernorm",
    "groupnorm": "nativegroupnorm groupnorm",
    **dict.fromkeys(
        ("instancenorm", "instancenorm1d", "instancenorm2d", "instancenorm3d"),
        "nativebatchnorm cudnnbatchnorm view",
    ),
    "dropout": "mul nativedropout fuseddropout div",
    **dict.fromkeys(("dropout1d", "dropout2d", "dropout3d", "featuredropout"), "mul div"),
    **dict.fromkeys(
        ("maxpool1d", "maxpool2d", "maxpool3d"), "maxpool2dwithindices maxpool3dwithindices squeeze"
    ),
    **dict.fromkeys(("relu", "relu6"), "relu threshold hardtanh"),
    "hardtanh": "hardtanh clamp",
    "selu": "elu",
    "crossentropy": "nllloss nllloss2d logsoftmax crossentropyloss",
    "crossentropyloss": "nllloss nllloss2d logsoftmax",
    "getitem": "select slice index view unsqueeze alias asstrided squeeze indexselect",
    "setitem": "copyslices indexput copy asstrided fill indexputimpl",
    "iter": "unbind select",
    "chunk": "split chunk splitwithsizes",
    "tensorsplit": "slice split",
    "reshape": "view unsafeview clone reshapealias alias asstrided reshape",
    "flatten": "view reshapealias unsafeview",
    "contiguous": "clone",
    "norm": "norm linalgvectornorm linalgmatrixnorm copy",
    "vectornorm": "linalgvectornorm",
    "normalize": "div expand clampmin norm linalgvectornorm",
    "stack": "stack cat unsqueeze",
    "hstack": "cat",
    "vstack": "cat",
    "max": "max maximum",
    "min": "min minimum",
    "std": "std sqrt",
    "inv": "linalginvex inverse",
    "inverse": "linalginvex inverse",
    "cholesky": "linalgcholeskyex cholesky",
    "to": "tocopy tobackward copy to copybackwards",
    "float": "tocopy to copy",
    "cuda": "tocopy copy to copybackwards",
    "double": "tocopy to copy",
    "half": "tocopy to copy",
    "mseloss": "mseloss mean",
    "l1loss": "l1loss abs mean",
    "gru": "gru cudnnrnn cat stack",
    "lstm": "lstm cudnnrnn cat stack mkldnnrnnlayer",
    "rnn": "rnn cudnnrnn cat stack",
    "lstmcell": "lstmcell thnnfusedlstmcell mul add tanh sigmoid",
    "grucell": "grucell thnnfusedgrucell add mul",
    "rnncell": "tanh relu",
    "scaleddotproductattention": "scaleddotproductefficientattention"
    " scaleddotproductflashattention bmm softmax unsafeview",
    "rsub": "rsub sub",
    "sub": "sub rsub",
    "multiply": "mul",
    "divide": "div",
    "truedivide": "div",
    "subtract": "sub",
    "whereself": "where",
    "silu": "silu mul",
    "glu": "glu mul",
    "threshold": "threshold relu",
    "logsigmoid": "logsigmoid logsigmoidforward",
    "interpolate": "upsample",
    "upsample": "upsample",
    "embeddingbag": "embeddingbag",
    "cov": "mm div",
    "var": "var",
    "amax": "amax",
    "copy": "copy copyslices copybackwards",
    "fill": "fill copyslices",
    "zero": "zero copyslices fill",
}


# What operators of Python, indices and plain methods make.
_WITHOUT_NAMES = _words(
    "add sub mul div pow neg rsub mm index select indexput sum mean max min cat"
)


def bare(name: str) -> str:
    """A node's name as the newest torch prints it: `Sigmoid` for `SigmoidBackward0`."""
    short = name.rpartition("::")[2]
    return _SUFFIX.sub("", short) or short


def completed(cut: str) -> str | None:
    """The node of whose name a text has only the beginning; None where it may be several."""
    usual, every = _names()
    for length in range(len(_END), 0, -1):
        begun = cut.removesuffix(_END[:length])
        if begun != cut and _plain(begun) in every:
            return begun
    begun = _plain(cut)
    likely = [name for name in usual if name.startswith(begun)]
    if begun in every or len(likely) > 1:
        return None
    found = sorted((name for name in every if name.startswith(begun)), key=len)
    variants = bool(found) and all(name.startswith(found[0]) for name in found)
    whole = likely or (found[:1] if variants else [])
    return every[whole[0]] if whole else None


@cache
def _names() -> tuple[frozenset[str], dict[str, str]]:
    """Nodes that messages often name, and all, with their spelling."""
    from autograd_lint.operators.table import load

    usual = {part for parts in _MADE_OF.values() for part in parts.split()} | VIEWS | _KNOWN
    operators = (name.rpartition(".")[2].strip("_") for name in load())
    spelt = {_plain(name): "".join(map(str.capitalize, name.split("_"))) for name in operators}
    return frozenset(usual), {**{name: name.capitalize() for name in usual}, **spelt}


def same(node: str, operator: str) -> bool | None:
    """Whether an operator of the program makes a node of that name; None where that cannot be told.

    `operator` is a name as the engine has it (`sigmoid`, `nn.ReLU`, `add_`), or that of a custom
    Function.
    """
    wanted, given = _plain(bare(node)), _plain(operator.rpartition(".")[2])
    if not given:
        return None
    if wanted == given:
        return True
    parts = _MADE_OF.get(given, "").split()
    if any(wanted == part or (len(part) > 5 and wanted.startswith(part)) for part in parts):
        return True
    if wanted in VIEWS:
        return None
    return False if parts or wanted in _KNOWN or given in _KNOWN else None


def made_by(node: str) -> frozenset[str]:
    """The operators that make a node of that name, in small letters and without underscores; none
    where the node may come of an operator that has no name in the code, or of a view."""
    wanted = _plain(bare(node))
    if wanted in VIEWS or wanted in _WITHOUT_NAMES:
        return frozenset()
    return frozenset((wanted, *(name for name in _MADE_OF if same(wanted, name))))


def plain_words(text: str) -> frozenset[str]:
    """The words of a text as `made_by` has them."""
    return frozenset(map(_plain, re.findall(r"[A-Za-z_]\w*", text)))


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


_KNOWN = _words(
    "sigmoid tanh exp relu softmax logsoftmax sqrt rsqrt reciprocal mul div add sub pow elu"
    " leakyrelu gelu silu hardtanh softplus clamp log sin cos abs mean sum cat stack index"
    " gather where maskedfill cumsum cumprod prod logsumexp norm bmm mm addmm embedding"
    " convolution nativebatchnorm nativelayernorm sort topk max min maximum minimum neg rsub"
    " erf unbind split indexselect scatter scatteradd indexput threshold std var lerp addcmul"
    " addcdiv zero fill"
)
