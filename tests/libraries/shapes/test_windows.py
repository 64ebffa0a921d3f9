"""Shapes of windows, of resizing and of distributions: a root of backward with one element is
accepted, one with several is refused, as torch does."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

from tests.vm.running import certain

HEAD = """from torch.distributions import Categorical, Independent, Normal, kl_divergence
x = torch.rand(4, 6, requires_grad=True)
one = torch.rand(1, 1, 4, 4, requires_grad=True)
image = torch.rand(2, 3, 4, 4, requires_grad=True)
index = torch.zeros(4).long()
"""
EXPRESSIONS = [
    "F.conv2d(image, torch.ones(5, 3, 3, 3))",
    "F.conv2d(one, torch.ones(1, 1, 4, 4))",
    "F.conv2d(one, torch.ones(1, 1, 3, 3), None, 2, 1)",
    "F.conv2d(one, torch.ones(1, 1, 3, 3), stride=2)",
    "F.conv_transpose2d(one[..., :1, :1], torch.ones(1, 1, 1, 1))",
    "F.conv_transpose2d(one[..., :1, :1], torch.ones(1, 2, 1, 1))",
    "F.max_pool2d(one, 2)",
    "F.max_pool2d(one, 4)",
    "F.avg_pool2d(one, kernel_size=2, stride=4)",
    "F.adaptive_avg_pool2d(one, 1)",
    "F.adaptive_avg_pool2d(image, 1)",
    "F.interpolate(one, scale_factor=0.25)",
    "F.interpolate(one, size=(1, 2))",
    "F.grid_sample(one, torch.zeros(1, 1, 1, 2), align_corners=False)",
    "F.grid_sample(one, torch.zeros(1, 2, 1, 2), align_corners=False)",
    "F.pixel_shuffle(one.view(1, 4, 2, 2)[..., :1, :1], 2)",
    "F.unfold(image, 3)",
    "nn.ConvTranspose2d(3, 1, 2, stride=2)(image)",
    "nn.ConvTranspose2d(1, 1, 1)(one[..., :1, :1])",
    "nn.Upsample(scale_factor=2)(one[..., :1, :1])",
    "nn.Bilinear(6, 6, 1)(x, x)",
    "nn.Bilinear(6, 6, 1)(x[:1], x[:1])",
    "nn.EmbeddingBag(3, 1)(index[None])",
    "nn.EmbeddingBag(3, 1)(index.view(2, 2))",
    "nn.CosineSimilarity(dim=1)(x, x)",
    "nn.CosineSimilarity(dim=0)(x[0], x[0])",
    "nn.BCELoss(reduction='none')(x, x.detach())",
    "nn.BCELoss()(x, x.detach())",
    "F.triplet_margin_loss(x, x, x, reduction='none')",
    "F.margin_ranking_loss(x, x, torch.ones(4, 6), reduction='none')",
    "nn.CrossEntropyLoss(reduce=False)(x, index)",
    "torch.hstack([x[0], x[1]])",
    "torch.hstack([x[0, :1]])",
    "torch.vstack([x[0, :1], x[1, :1]])",
    "torch.vstack([x[0, :1]])",
    "x.diff(dim=0)",
    "x[:2, :1].diff(dim=0)",
    "x.take_along_dim(index[:, None], 1)",
    "x.quantile(0.5)",
    "x.quantile(0.5, dim=1)",
    "torch.multinomial(torch.ones(3), 2) * x.sum()",
    "torch.bincount(index + 2)[index] * x.sum()",
    "Normal(x, 1.0).log_prob(x.detach())",
    "Normal(x[0, 0], 1.0).rsample()",
    "Independent(Normal(x, 1.0), 1).log_prob(x.detach())",
    "Independent(Normal(x, 1.0), 2).log_prob(x.detach())",
    "Categorical(logits=x).entropy()",
    "Categorical(logits=x[0]).log_prob(index[0])",
    "Categorical(logits=x[0]).log_prob(index)",
    "kl_divergence(Normal(x, 1.0), Normal(0.0, 1.0))",
]


@pytest.mark.filterwarnings("ignore:size_average and reduce")
@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_one_element_and_several_are_told_apart(expression: str) -> None:
    names = {"torch": torch, "nn": nn, "F": F}
    exec(HEAD, names)
    scalar = eval(f"{expression}", names).numel() == 1
    found = certain(f"import torch.nn.functional as F\n{HEAD}({expression}).backward()\n")
    assert found == ([] if scalar else ["non-scalar-root"])
