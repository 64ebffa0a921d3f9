"""Templates of expressions and of in-place statements.

A hole `{mat}`, `{vec}`, `{scalar}` is an expression of that shape; `{same}` one of the result's
shape, `{lower}` one that broadcasts to it; `{idx}` an index vector, `{mask}` a mask of the
result's shape, `{num}` a Python number. All matrices are 3 by 3 and all vectors have three
elements, so that shapes never err.
"""

from pathlib import Path

SAME = """
{same} + {lower}|{same} - {lower}|{same} * {lower}|{same} / {lower}|{lower} * {same}
{same} * {same}|{same} + {num}|{same} * {num}|{same} / {num}|{num} - {same}|{num} / {same}
{num} * {same}|-{same}|{same} ** 2|{same} ** {num}|{same} ** {same}|2.0 ** {same}|{same}.pow(2)
{same}.square()|{same}.sigmoid()|torch.sigmoid({same})|{same}.exp()|torch.exp({same})
{same}.tanh()|torch.tanh({same})|{same}.relu()|torch.relu({same})|F.relu({same})|{same}.sqrt()
{same}.sin()|{same}.cos()|{same}.log()|{same}.abs()|{same}.rsqrt()|{same}.reciprocal()
{same}.erf()|{same}.expm1()|{same}.log1p()|{same}.atan()|{same}.sinh()|{same}.cosh()|{same}.tan()
{same}.floor()|{same}.round()|{same}.sign()|{same}.frac()|F.gelu({same})|F.silu({same})
F.elu({same})|F.leaky_relu({same}, 0.1)|F.softplus({same})|F.hardtanh({same})|F.selu({same})
F.celu({same})|F.mish({same})|F.hardswish({same})|F.relu6({same})|F.logsigmoid({same})
F.softsign({same})|F.dropout({same}, 0.5)|F.dropout({same}, 0.5, training=False)|{same}.softmax(0)
F.softmax({same}, dim=-1)|{same}.log_softmax(0)|F.log_softmax({same}, dim=-1)|{same}.cumsum(0)
{same}.cumprod(0)|{same}.clamp(min=0)|torch.clamp({same}, -1.0, 1.0)|{same}.nan_to_num()
{same}.clone()|{same}.contiguous()|{same}.float()|{same}.to(torch.float32)
torch.maximum({same}, {lower})|torch.minimum({same}, {lower})|torch.atan2({same}, {lower})
torch.where({mask}, {same}, {lower})|torch.where({mask}, {same}, 0.0)
{same}.masked_fill({mask}, 0.0)|torch.lerp({same}, {same}, 0.3)|torch.lerp({same}, {same}, {same})
torch.addcmul({same}, {same}, {same})|torch.addcdiv({same}, {same}, {same})
{same}.remainder({num})|torch.hypot({same}, {same})|{same}.add({lower})|{same}.mul({lower})
{same}.sub({lower}, alpha=2)|torch.mul({same}, {lower})|torch.div({same}, {lower})
{same}.expand_as({same})|{same}.type_as({same})|torch.zeros_like({same})|torch.ones_like({same})
torch.randn_like({same})|{same}.view_as({same})|+{same}|torch.square({same})|{same}.detach()
{same}.data|{same}.detach().clone()|({same} > 0).float()|{same}.clone().detach()
{same}.sum() + {same}|{same} / {same}.norm()|{same} - {same}.mean()|{same} / ({same}.std() + 1)
{same}.exp() / {same}.exp().sum()|{same} * torch.rand({size})|{same} + torch.ones({size})
"""

MAT = """
{mat} @ {mat}|torch.mm({mat}, {mat})|torch.matmul({mat}, {mat})|F.linear({mat}, {mat}, {vec})
F.linear({mat}, {mat})|torch.addmm({mat}, {mat}, {mat})|torch.outer({vec}, {vec})
torch.cdist({mat}, {mat})|torch.stack([{vec}, {vec}, {vec}])|torch.cat([{mat}, {mat}])[:3]
torch.einsum("ij,jk->ik", {mat}, {mat})|{mat}.t()|{mat}.T|{mat}.transpose(0, 1)
{mat}.permute(1, 0)|{vec}.expand(3, 3)|{mat}.view(9).view(3, 3)|{mat}.reshape(9).reshape(3, 3)
{mat}.tril()|{mat}.flip(0)|{mat}.roll(1, 0)|{mat}[{idx}]|{vec}.diag()|{mat}.index_select(0, {idx})
F.embedding({idx}, {mat})|F.layer_norm({mat}, (3,))|F.normalize({mat}, dim=1)
F.layer_norm({mat}, (3,), {vec}, {vec})|{mat}.t().contiguous()|{mat}.unsqueeze(0).squeeze(0)
{mat} + {mat}.t()|{mat} @ {mat}.t()|{vec}.unsqueeze(1) * {vec}|{mat}.sort(0)[0]
{mat}.sort(dim=1).values|{mat}.topk(3)[0]|{mat}.repeat(2, 1)[:3]|torch.cat([{mat}[:1], {mat}[1:]])
{mat}.cummax(0)[0]|{mat}.gather(0, {idx}.expand(3, 3))
torch.zeros(3, 3).index_add(0, {idx}, {mat})|torch.linalg.inv({mat})
torch.stack(list({mat}.unbind(0)))|torch.bmm({mat}[None], {mat}[None])[0]
{mat}.sum(0, keepdim=True) * {mat}|torch.tensor([[1.0, 2.0, 3.0]] * 3)
torch.softmax({mat} @ {mat}.T, dim=-1) @ {mat}|{mat}.movedim(0, 1)
"""

VEC = """
{mat} @ {vec}|torch.mv({mat}, {vec})|{mat}.sum(0)|{mat}.mean(1)|{mat}.max(0)[0]
{mat}.max(dim=1).values|{mat}.min(0).values|{mat}.norm(dim=0)|{mat}.logsumexp(0)|{mat}.prod(0)
{mat}.std(0)|{mat}.var(1)|{mat}.amax(0)|{mat}[0]|{mat}[1]|{mat}[-1]|{mat}[:, 0]|{mat}.select(0, 1)
{mat}.diagonal()|{mat}.diag()|{mat}.view(-1)[:3]|{mat}.flatten()[3:6]|{mat}.reshape(-1)[:3]
{mat}.unbind(0)[1]|{mat}.chunk(3)[0].squeeze(0)|{mat}[2, :]|{mat}.split(1)[2].view(3)|{vec}[{idx}]
{vec}.index_select(0, {idx})|{vec}.gather(0, {idx})|{vec}.flip(0)
torch.stack([{scalar}, {scalar}, {scalar}])|torch.cat([{vec}, {vec}])[:3]|{vec}.sort()[0]
{vec}.view(3)|{vec}.topk(3).values|F.cosine_similarity({mat}, {mat})
F.cross_entropy({mat}, {idx}, reduction="none")|torch.zeros(3).scatter_add(0, {idx}, {vec})
{scalar}.expand(3)|torch.einsum("ij,j->i", {mat}, {vec})|{mat}.narrow(0, 1, 1).squeeze(0)
torch.tensor([1.0, 2.0, 3.0])|{mat}.sum(dim=1)|{vec}.repeat(2)[1:4]|next(iter({mat}))
list({mat})[0]|{vec}.view(3, 1).squeeze(1)|F.layer_norm({vec}, (3,))
"""

SCALAR = """
{mat}.sum()|{vec}.sum()|{vec}.mean()|{mat}.mean()|{vec}.prod()|{mat}.max()|{vec}.min()
{mat}.norm()|{vec}.norm()|{vec}.std()|{mat}.var()|{vec}.logsumexp(0)|{vec} @ {vec}
torch.dot({vec}, {vec})|{vec}[0]|{vec}[-1]|{mat}[0, 1]|{mat}[1][2]|F.mse_loss({mat}, {mat})
F.mse_loss({vec}, {vec})|F.l1_loss({vec}, {vec})|F.smooth_l1_loss({mat}, {mat})
F.huber_loss({vec}, {vec})|F.cross_entropy({mat}, {idx})|{mat}.trace()
F.binary_cross_entropy_with_logits({vec}, torch.ones(3))|F.nll_loss({mat}.log_softmax(1), {idx})
F.binary_cross_entropy({vec}.sigmoid(), torch.ones(3))
F.kl_div({mat}.log_softmax(1), {mat}.softmax(1))|({mat} ** 2).sum()|({vec} * {vec}).sum()
({mat} - {mat}).pow(2).mean()|{vec}.median()|{vec}.amax()|{mat}.masked_select({mat} > 0).sum()
{mat}[{mat} > 0].sum()|{vec}[{vec} > 0].mean()|{vec}.max(0)[0]|torch.linalg.norm({vec})
torch.dist({vec}, {vec})|{mat}.logdet()|{vec}.unbind(0)[1]|torch.tensor(2.0)
sum([{scalar}, {scalar}])|sum({vec})|torch.sum({mat})|torch.mean({vec})|torch.det({mat})
"""

CUTS = (".detach()", ".data", "_like(", "> 0).float()", "torch.tensor(")

METHODS = """
add_({num})|add_({lower})|sub_({lower})|mul_({num})|mul_({lower})|div_({num})|div_({lower})
pow_(2)|exp_()|relu_()|sigmoid_()|tanh_()|sqrt_()|clamp_(min=0)|clamp_(-1, 1)|zero_()|fill_(1.0)
copy_({same})|copy_({lower})|neg_()|abs_()|sin_()|log_()|normal_()|uniform_()
masked_fill_({mask}, 0.0)|addcmul_({same}, {same})|lerp_({same}, 0.5)|add_({lower}, alpha=0.1)
sub_({num})|reciprocal_()|floor_()|square_()|add_(0)
"""

INPLACE = """
{x} += {num}|{x} += {lower}|{x} -= {lower}|{x} *= {num}|{x} *= {lower}|{x} /= {num}|{x} /= {lower}
{x} **= 2|{x} += {x}|{x} *= {x}|{x} -= {x}.mean()|{x} /= {x}.sum()|{x}[{mask}] = 0.0
{x}[{x} > 0] = 0.0|{x}[{x} < 0] *= 2|F.relu({x}, inplace=True)|F.relu({x}, True)
F.elu({x}, 1.0, True)|F.silu({x}, True)|torch.relu_({x})|F.leaky_relu({x}, 0.1, inplace=True)
F.elu({x}, inplace=True)|F.dropout({x}, 0.5, inplace=True)|F.silu({x}, inplace=True)
F.hardtanh({x}, inplace=True)|torch.add({same}, {lower}, out={x})
torch.mul({same}, {lower}, out={x})|torch.exp({same}, out={x})|nn.init.zeros_({x})
nn.init.normal_({x})|nn.init.constant_({x}, 0.5)|torch.exp_({x})|torch.sigmoid_({x})
{x}.data.add_({num})|{x}.data *= {num}|{x}.data = torch.ones({size})|{x}.data.copy_({same})
{x}.detach().add_({num})|{x}.detach().zero_()|{x}.detach().mul_({lower})|{x}.data.zero_()
{x}.view_as({x}).add_({num})|{x}[...] = {same}|{x}[...] += {num}|{x}.copy_({same})
"""

INDEXED = """
{x}[0] = {num}|{x}[0] = 0|{x}[:2] = {num}|{x}[1:] += {num}|{x}[:2] *= {num}|{x}[-1] += {num}
{x}[{idx}] = {num}|{x}[{idx}] += {num}|{x}[0] += {x}[1]|{x}[:1].zero_()|{x}[0].mul_({num})
{x}[1:].add_({num})|{x}.index_fill_(0, {idx}, 0.0)|{x}[0] = {x}[1]|{x}[1:] = {x}[:2]
{x}.unbind(0)[0].add_({num})|{x}.narrow(0, 0, 1).zero_()|{x}[0].copy_({x}[2])
{x}[0] = {x}[1] * {num}
"""

INPLACE_MAT = """
{x}[:, 0] = {num}|{x}[0] = {vec}|{x}[:, 1] *= {num}|{x}[1].copy_({vec})|{x}.t_()
{x}.view(-1).add_({num})|{x}.view(-1)[0] = {num}|{x}.t().mul_({num})|{x}.diagonal().zero_()
{x}[{idx}, {idx}] = 0.0|{x}[0, 1] = {num}|{x}[0, 1] += {num}|{x}.index_add_(0, {idx}, {mat})
{x}.reshape(9)[0] = {num}|{x}.fill_diagonal_(0.0)|{x}[0][1] = {num}
{x}.transpose(0, 1)[0].add_({num})|{x}.addmm_({mat}, {mat})|{x}.chunk(3)[1].zero_()
"""

INTEGER = """
{x}.zero_()|{x}.mul_(1)|{x} *= 1|{x}.clamp_(0, 2)|{x}.fill_(1)|{x}[0] = 0
{x}.copy_(torch.tensor([2, 1, 0]))|{x}.remainder_(3)|{x}[1:] = 0|{x}.sub_(0)|{x}.data.zero_()
"""


def templates(text: str) -> list[str]:
    """The templates of a table."""
    return [piece for line in text.split("\n") for piece in line.split("|") if piece]


EXPRESSIONS = {
    "mat": templates(SAME) + 2 * templates(MAT),
    "vec": templates(SAME) + 2 * templates(VEC),
    "scalar": 2 * templates(SCALAR) + templates(SAME),
}
STATEMENTS = {
    "mat": templates(INPLACE) + templates(INDEXED) + templates(INPLACE_MAT),
    "vec": templates(INPLACE) + templates(INDEXED),
    "scalar": templates(INPLACE),
}
INPLACE_METHODS = templates(METHODS)
INTEGER_STATEMENTS = templates(INTEGER)


def harvested(kind: str) -> list[str]:
    """The templates that a live torch accepted (`harvest.py` wrote them down)."""
    lines = Path(__file__).with_name("harvested.txt").read_text().splitlines()
    return [line.partition(" ")[2] for line in lines if line.startswith(f"{kind} ")]


ALL_EXPRESSIONS = {shape: harvested(shape) for shape in EXPRESSIONS}
ALL_STATEMENTS = {
    shape: [template.replace(f"{{{shape}}}", "{x}", 1) for template in harvested(f"{shape}.")]
    for shape in ("mat", "vec")
}
