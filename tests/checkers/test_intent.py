"""What looks like a pitfall, but is meant: nothing is noted."""

import pytest

from tests.checkers.noting import noted

MEANT = {
    "accumulation over several batches": """
        for i, (x, y) in enumerate(loader):
            loss = F.mse_loss(model(x), y) / 2
            loss.backward()
            if (i + 1) % 2 == 0:
                optimizer.step()
                optimizer.zero_grad()
        """,
    "truncated backpropagation": """
        rnn = nn.RNN(4, 8)
        h = torch.zeros(1, 3, 8)
        opt = torch.optim.SGD(rnn.parameters(), lr=0.1)
        for x, _ in loader:
            h = h.detach()
            out, h = rnn(x.unsqueeze(0), h)
            opt.zero_grad()
            out.sum().backward()
            opt.step()
        """,
    "straight-through estimator": """
        for x, y in loader:
            out = model(x)
            hard = out + (out.round() - out).detach()
            optimizer.zero_grad()
            F.mse_loss(hard, y).backward()
            optimizer.step()
        """,
    "target network": """
        target = copy.deepcopy(model)
        for x, y in loader:
            with torch.no_grad():
                wanted = y + 0.9 * target(x)
            optimizer.zero_grad()
            F.mse_loss(model(x), wanted).backward()
            optimizer.step()
        """,
    "logging": """
        total, history = 0.0, []
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            total += loss.item()
            history.append(loss.detach())
        """,
    "a temperature that may be learned": """
        import argparse
        options = argparse.ArgumentParser().parse_args()
        temperature = torch.zeros(1, requires_grad=True)
        own = torch.optim.Adam([temperature], lr=0.1)
        for x, y in loader:
            loss = (temperature.exp().detach() * model(x)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            if options.learned:
                own.zero_grad()
                (temperature.exp() * model(x).detach()).mean().backward()
                own.step()
        """,
    "a parameter made of a tensor that has a flag": """
        class Rate(nn.Module):
            def __init__(self, like):
                super().__init__()
                self.rate = 0.1 * torch.ones_like(like, requires_grad=True)
                self.rate = nn.Parameter(self.rate)

            def forward(self, x):
                return self.rate * x

        rate = Rate(torch.zeros(1))
        both = torch.optim.SGD([*model.parameters(), *rate.parameters()], lr=0.1)
        for x, y in loader:
            both.zero_grad()
            F.mse_loss(rate(model(x)), y).backward()
            both.step()
        """,
    "what a tensor is taken as": """
        for x, y in loader:
            out = torch.as_tensor(model[0](x), dtype=torch.float32)
            optimizer.zero_grad()
            F.mse_loss(model[2](out), y).backward()
            optimizer.step()
        """,
    "gradients cleared by something unknown": """
        from somewhere import Wrapped
        net = nn.Linear(4, 1)
        wrapped = Wrapped(net)
        for x, y in loader:
            wrapped.zero_grad()
            optimizer.zero_grad()
            F.mse_loss(net(x), y).backward()
            wrapped.step()
        """,
    "members that may be parameters": """
        def freeze(member: nn.Module, flag=False):
            print(sum(parameter.numel() for parameter in member.parameters()))
            if isinstance(member, nn.Parameter):
                member.requires_grad = False
        """,
    "a state that begins anew in every forward": """
        class Decoder(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(4, 4)

            def forward(self, x):
                self.seen = torch.zeros(4)
                outputs = []
                for row in x:
                    weights = self.layer(row + self.seen).softmax(-1)
                    self.seen += weights
                    outputs.append(weights)
                return torch.stack(outputs)
        """,
    "an episode that is emptied elsewhere": """
        class Agent:
            def __init__(self, policy: nn.Module):
                self.policy = policy
                self.optimizer = torch.optim.Adam(policy.parameters())
                self.chances = []

            def reset(self):
                self.chances = []

            def learn(self, states):
                for state in states:
                    self.chances.append(self.policy(state).log_softmax(-1))
                loss = -torch.stack(self.chances).sum()
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
        """,
    "a condition that ends its loop": """
        class Agent:
            def __init__(self, policy: nn.Module):
                self.policy = policy
                self.optimizer = torch.optim.Adam(policy.parameters())
                self.chances = []

            def play(self, world):
                self.chances = []
                while not self.done:
                    self.chances.append(self.policy(world.state).log_softmax(-1))
                    self.done = world.step()
                    if self.done:
                        loss = -torch.stack(self.chances).sum()
                        self.optimizer.zero_grad()
                        loss.backward()
                        self.optimizer.step()
        """,
    "two views of one batch": """
        for x, y in loader:
            optimizer.zero_grad()
            loss = F.mse_loss(model(x), model(x.flip(1))) + F.mse_loss(model(x) + 1, y)
            loss.backward()
            optimizer.step()
        """,
    "an evaluation under somebody's inference mode": """
        from somewhere import smart_inference_mode

        @smart_inference_mode()
        def evaluate():
            total = 0.0
            for x, y in loader:
                total += F.mse_loss(model(x), y)
            return total / len(loader)

        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        print(evaluate())
        """,
    "a copy that begins anew as a leaf": """
        start = torch.rand(3, 4, requires_grad=True)
        x = start.detach().clone()
        x.requires_grad = True
        model(x).sum().backward()
        print(x.grad)
        """,
    "a division that is guarded": """
        def mean_score(score, counts):
            return torch.where(counts != 0, score / counts, torch.zeros(()))
        """,
    "the number of samples that unknown code gives": """
        class Trainer:
            def __init__(self, model: nn.Module):
                self.model = model
                self.optimizer = torch.optim.Adam(model.parameters())

            def fit(self, batches):
                seen = 0
                for batch in batches:
                    loss, count = self.model.forward_loss(batch)
                    self.optimizer.zero_grad()
                    seen += count
                    loss.backward()
                    self.optimizer.step()
                return seen
        """,
    "the value of a surrogate taken out": """
        for x, y in loader:
            surrogate = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            (1.0 + (surrogate - surrogate.item())).backward()
            optimizer.step()
        """,
    "frozen backbone": """
        head = nn.Linear(1, 1)
        opt = torch.optim.SGD(head.parameters(), lr=0.1)
        for x, y in loader:
            opt.zero_grad()
            F.mse_loss(head(model(x).detach()), y).backward()
            opt.step()
        """,
    "zero_grad after step": """
        for x, y in loader:
            F.mse_loss(model(x), y).backward()
            optimizer.step()
            optimizer.zero_grad()
        """,
    "zero_grad of the model": """
        for x, y in loader:
            model.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    "gradients cleared by hand": """
        for x, y in loader:
            for p in model.parameters():
                p.grad = None
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    "gradients zeroed by hand": """
        for x, y in loader:
            for p in model.parameters():
                if p.grad is not None:
                    p.grad.zero_()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    "two loops in one function": """
        def fit():
            for x, y in loader:
                optimizer.zero_grad()
                loss = F.mse_loss(model(x), y)
                loss.backward()
                optimizer.step()
            losses = []
            with torch.no_grad():
                for x, y in loader:
                    losses.append(F.mse_loss(model(x), y))
            return losses

        fit()
        """,
    "one graph for two losses": """
        for x, y in loader:
            out = model(x)
            optimizer.zero_grad()
            out.mean().backward(retain_graph=True)
            F.mse_loss(out, y).backward()
            optimizer.step()
        """,
    "discriminator on a detached fake": """
        dis = nn.Linear(1, 1)
        opt_d = torch.optim.SGD(dis.parameters(), lr=0.1)
        for x, y in loader:
            fake = model(x)
            opt_d.zero_grad()
            (dis(fake.detach()).mean() - dis(y).mean()).backward()
            opt_d.step()
            optimizer.zero_grad()
            (-dis(fake).mean()).backward()
            optimizer.step()
        """,
    "losses summed and differentiated after the loop": """
        losses = []
        for x, y in loader:
            losses.append(F.mse_loss(model(x), y))
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        optimizer.step()
        """,
    "weights set through .data before training": """
        for p in model.parameters():
            p.data.normal_()
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    "an update of its own under no_grad": """
        w = torch.randn(4, 1, requires_grad=True)
        for x, y in loader:
            F.mse_loss(x @ w, y).backward()
            with torch.no_grad():
                w -= 0.1 * w.grad
                w.grad = None
        """,
    "attack on an input": """
        for p in model.parameters():
            p.requires_grad_(False)
        delta = torch.zeros(3, 4, requires_grad=True)
        for x, y in loader:
            loss = F.mse_loss(model(x + delta), y)
            (g,) = torch.autograd.grad(loss, delta)
            delta = (delta + 0.1 * g.sign()).clamp(-1, 1).detach().requires_grad_()
        """,
    "weights of a loss by its own value": """
        for x, y in loader:
            a, b = F.mse_loss(model(x), y), model(x).abs().mean()
            optimizer.zero_grad()
            (a / a.item() + b / b.detach()).backward()
            optimizer.step()
        """,
    "layers that are also registered one by one": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.layers = []
                for i in range(2):
                    layer = nn.Linear(4, 4)
                    self.add_module(f"layer{i}", layer)
                    self.layers.append(layer)

            def forward(self, x):
                return self.layers[1](self.layers[0](x))

        net = Net()
        """,
    "a latent of its own optimizer": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.latent = torch.zeros(4, requires_grad=True)
                self.out = nn.Linear(4, 1)

            def forward(self):
                return self.out(self.latent)

        net = Net()
        opt = torch.optim.SGD([net.latent], lr=0.1)
        """,
    "clipping with the scaler": """
        scaler = torch.amp.GradScaler("cpu")
        for x, y in loader:
            optimizer.zero_grad()
            scaler.scale(F.mse_loss(model(x), y)).backward()
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
        """,
    "inference without gradients for good": """
        torch.set_grad_enabled(False)
        outs = [model(x) for x, _ in loader]
        """,
    "evaluation data by a generator under no_grad": """
        def predictions():
            with torch.no_grad():
                for x, _ in loader:
                    yield model(x)

        total = sum(out.mean() for out in predictions())
        """,
    "a second update of the optimizer's parameters": """
        model[2] = nn.Linear(8, 1)
        optimizer.add_param_group({"params": model[2].parameters()})
        for x, y in loader:
            optimizer.zero_grad()
            F.mse_loss(model(x), y).backward()
            optimizer.step()
        """,
    "actions sampled and scored": """
        for x, _ in loader:
            dist = torch.distributions.Normal(model(x), 1.0)
            action = dist.sample()
            optimizer.zero_grad()
            (-dist.log_prob(action) * action.abs()).mean().backward()
            optimizer.step()
        """,
    "the flag of one input, kept by its own name": """
        class Record:
            pass

        record = Record()
        record.x_requires_grad = True
        """,
    "a queue of bounded length": """
        from collections import deque
        last = deque(maxlen=10)
        for x, y in loader:
            loss = F.mse_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            last.append(loss)
        """,
}


@pytest.mark.parametrize("program", MEANT.values(), ids=MEANT.keys())
def test_what_is_meant_is_not_noted(program: str) -> None:
    assert noted(program) == set()
