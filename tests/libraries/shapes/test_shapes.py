"""Shapes as a root shows them: of one element or of several."""

import pytest

from tests.vm.running import certain, kinds

SCALARS = [
    "m.sum()",
    "m.sum((0, 1))",
    "m[0, 1]",
    "m[1][2]",
    "v @ v",
    "m.max()",
    "v.max(0)[0]",
    "v.unbind(0)[1]",
    "m[:1, :1]",
    "m.diagonal()[0]",
    "torch.stack([v.sum()])",
    "torch.einsum('i,i->', v, v)",
    "m.view(9)[4]",
    "m.topk(1)[0].sum()",
    "m.narrow(0, 0, 1).select(1, 0)",
    "torch.nn.functional.mse_loss(v, 2 * v)",
    "v.unsqueeze(0).squeeze()[0]",
    "torch.nn.functional.pairwise_distance(v, v)",
    "torch.nn.functional.gaussian_nll_loss(v, v, v)",
    "torch.linalg.det(m)",
    "torch.corrcoef(v)",
    "torch.linalg.norm(m)",
    "torch.linalg.matrix_norm(m)",
    "torch.linalg.svd(m[:1])[1]",
    "torch.linalg.qr(m[:1, :1])[1]",
    "torch.tensordot(v, v, 1)",
    "torch.linalg.multi_dot([v, m, v])",
    "torch.fft.irfft(torch.fft.rfft(v[:2]))[0]",
    "torch.quantile(v, 0.5)",
    "torch.take_along_dim(v, torch.tensor([0]))",
    "torch.searchsorted(v.detach(), 0.5) * v[0]",
    "torch.arange(0.0, 1.0, 2.0) * v[0]",
    "v @ torch.cholesky_solve(v.unsqueeze(1), m).squeeze(1)",
    "torch.ormqr(m, v, v.unsqueeze(1))[:, 0] @ v",
]
SEVERAL = [
    "m.sum(0)",
    "m.sum(0, keepdim=True)",
    "m.norm(dim=0)",
    "torch.max(v, torch.rand(1))",
    "torch.min(v.sum(), v)",
    "m.std(0)",
    "m.unbind(0)[1]",
    "next(iter(m))",
    "m.chunk(3)[0]",
    "m.split([1, 2])[1]",
    "m.t()",
    "m.permute(1, 0)",
    "m.diagonal()",
    "m[torch.tensor([0, 1])]",
    "m[:2]",
    "m[None]",
    "m[..., 0]",
    "m @ v",
    "torch.outer(v, v)",
    "torch.addmm(m, m, m)",
    "torch.cat([v, v])",
    "torch.stack([v.sum(), v.sum()])",
    "torch.cdist(m, m)",
    "torch.cholesky_solve(v.unsqueeze(1), m)",
    "torch.pdist(m)",
    "torch.trapezoid(m)",
    "torch.trapz(m, dim=0)",
    "torch.einsum('ij,jk->ik', m, m)",
    "torch.nn.functional.embedding(torch.tensor([0, 1]), m)",
    "torch.nn.functional.layer_norm(m, (3,))",
    "torch.nn.functional.linear(m, m)",
    "torch.nn.functional.mse_loss(v, 2 * v, reduction='none')",
    "torch.nn.functional.cross_entropy(m, torch.tensor([0, 1, 2]), reduction='none')",
    "v.expand(2, 3)",
    "v.sum().expand(3)",
    "v.repeat(2)",
    "v.view(3, 1)",
    "m.reshape(-1)",
    "m.flatten()",
    "m.topk(2).values",
    "m.sort(0)[0]",
    "m.index_select(0, torch.tensor([0, 2]))",
    "torch.nn.functional.pad(v.sum().view(1), (1, 1))",
    "v.unfold(0, 2, 1)",
    "torch.nn.functional.pairwise_distance(m, m)",
    "torch.nn.functional.huber_loss(v, 2 * v, reduction='none')",
    "torch.linalg.det(m.expand(2, 3, 3))",
    "torch.cov(m)",
    "torch.linalg.norm(m, dim=1)",
    "torch.linalg.svdvals(m)",
    "torch.linalg.svd(m)[2]",
    "torch.linalg.solve(m, v)",
    "torch.linalg.pinv(m)",
    "torch.linalg.diagonal(m.expand(2, 3, 3))",
    "torch.diag_embed(v)",
    "torch.kron(v, v)",
    "torch.tensordot(m, m, ([0], [0]))",
    "torch.linalg.vecdot(m, m, dim=0)",
    "torch.fft.rfft(m, dim=0).abs()",
    "torch.fft.fft(v[:1], n=4).abs()",
    "torch.fft.fft2(m).abs()",
    "torch.quantile(m, torch.tensor([0.5]), dim=0)",
    "torch.std(m, dim=0, keepdim=True)",
    "torch.take_along_dim(m, torch.zeros(1, 3).long(), 0)",
    "torch.nn.functional.glu(m[:, :2], 1)",
    "torch.nn.functional.scaled_dot_product_attention(v.expand(1, 3), m, m)",
    "torch.arange(3.0) * v[0]",
]
UNKNOWN = ["v[v > 0]", "m.masked_select(m > 0)", "m[m > 0]", "v[:n]", "v.view(shape)"]


def backward_of(expression: str) -> list[str]:
    """What is certainly refused of a backward from an expression."""
    leaves = "m = torch.rand(3, 3, requires_grad=True)\nv = torch.rand(3, requires_grad=True)\n"
    return certain(f"{leaves}({expression}).backward()\n")


@pytest.mark.parametrize("expression", SCALARS)
def test_one_element_may_be_a_root(expression: str) -> None:
    assert backward_of(expression) == []


@pytest.mark.parametrize("expression", SEVERAL)
def test_several_elements_need_a_gradient(expression: str) -> None:
    assert backward_of(expression) == ["non-scalar-root"]


@pytest.mark.parametrize("expression", UNKNOWN)
def test_an_unknown_number_of_elements_is_not_judged(expression: str) -> None:
    assert backward_of(expression) == []


@pytest.mark.parametrize("made", ["torch.fft.fft(m)", "torch.view_as_complex(m[:, :2] * 2)"])
def test_a_complex_number_is_no_root(made: str) -> None:
    assert backward_of(f"{made}.sum()") == ["non-scalar-root"]


SPREAD = """
def check(output, total):
    matrix = torch.rand(3, 3, requires_grad=True)
    (matrix * 2).backward(torch.randn(*output.shape).to(total))
"""


def test_sizes_that_are_spread_may_be_any_number() -> None:
    assert kinds(SPREAD) == []
    assert kinds(SPREAD.replace("*output.shape", "2, 3")) == ["other"]


GRANTED = """
def check(loss):
    w = torch.ones(2, requires_grad=True)
    (loss * w[0]).backward()
    torch.autograd.grad([w * 2, w * 3], [w], grad_outputs=[torch.ones(2)])
"""


def test_gradients_are_counted_where_something_is_granted() -> None:
    assert kinds(GRANTED) == ["other"]


LISTED = """
def run(x):
    found = []
    for i in range(16):
        y = x[i]
        for _ in range(9):
            y = y.exp().log().exp().log().exp().log().exp().log().exp().log()
        found.append(y)
    return {joined}

root = run(torch.ones(16, 3, requires_grad=True))
root.backward(torch.ones({shape}))
"""


@pytest.mark.parametrize(
    ("joined", "shape"), [("torch.stack(found)", "16, 3"), ("torch.cat(found)", "48")]
)
def test_a_list_to_which_more_belongs_has_no_known_length(joined: str, shape: str) -> None:
    assert kinds(LISTED.format(joined=joined, shape=shape)) == []
