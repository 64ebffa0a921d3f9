"""Programs that run into a pitfall, with twins that do not."""

from autograd_lint.engine.pitfalls import Pitfall

# A pitfall, a program that runs into it at the row with `# seen`, and one that does not.
TWINS = {
    Pitfall.MISSING_ZERO_GRAD: (
        """
        for _ in range(2):
            net(x).sum().backward()  # seen
            opt.step()
        """,
        """
        for _ in range(2):
            opt.zero_grad()
            net(x).sum().backward()
            net(x).sum().backward()
            opt.step()
        """,
    ),
    Pitfall.ZERO_GRAD_BEFORE_STEP: (
        """
        net(x).sum().backward()
        opt.zero_grad()  # seen
        opt.step()
        """,
        """
        net(x).sum().backward()
        opt.zero_grad()
        net(x).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.WRITE_WITHOUT_DERIVATIVE: (
        """
        hidden = net(x)
        hidden.logical_not_()  # seen
        hidden.sum().backward()
        """,
        """
        hidden = net(x)
        hidden.mul_(2)
        mask = net(x)
        mask.logical_not_()
        hidden.sum().backward()
        """,
    ),
    Pitfall.OBSERVED_MODIFIED: (
        """
        hidden = net(x)
        hidden.register_hook(print)
        hidden.mul_(2)  # seen
        hidden.sum().backward()
        """,
        """
        hidden = net(x)
        hidden.mul_(2)
        hidden.retain_grad()
        with torch.no_grad():
            hidden.mul_(2)
        hidden.sum().backward()
        """,
    ),
    Pitfall.STEP_BEFORE_BACKWARD: (
        """
        loss = net(x).sum()
        opt.step()  # seen
        loss.backward()
        """,
        """
        net(x).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.CLIP_IN_VAIN: (
        """
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # seen
        net(x).sum().backward()
        opt.step()
        """,
        """
        net(x).sum().backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        """,
    ),
    Pitfall.GRADIENTS_PILE_UP: (
        """
        for _ in range(5):
            net(x).sum().backward()  # seen
        """,
        """
        for _ in range(5):
            net(x).sum().backward()
            net.zero_grad()
        """,
    ),
    Pitfall.GRADIENT_KEEPS_GRAPH: (
        """
        net(x).pow(2).sum().backward(create_graph=True)  # seen
        """,
        """
        torch.autograd.grad(net(x).pow(2).sum(), list(net.parameters()), create_graph=True)
        net(x).sum().backward()
        """,
    ),
    Pitfall.GRAPH_KEPT: (
        """
        total = 0
        for _ in range(3):
            loss = net(x).sum()
            total += loss  # seen
            loss.backward()
        """,
        """
        total = 0
        for _ in range(3):
            loss = net(x).sum()
            total += loss.item()
            loss.backward()
        """,
    ),
    Pitfall.GRADIENT_CUT: (
        """
        params = [*net.parameters(), *other.parameters()]
        opt = torch.optim.SGD(params, lr=0.1)
        other(net(x).detach()).sum().backward()  # seen
        opt.step()
        """,
        """
        params = [*net.parameters(), *other.parameters()]
        opt = torch.optim.SGD(params, lr=0.1)
        h = net(x)
        shown = h.detach()
        other(h).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.CONSTANT_TERM: (
        """
        penalty = net(x).detach().pow(2).sum()  # seen
        (net(x).sum() + penalty).backward()
        """,
        """
        target = net(x).detach()
        (net(x) - target).pow(2).sum().backward()
        """,
    ),
    Pitfall.LOSS_REBUILT: (
        """
        loss = torch.tensor(net(x).sum().item(), requires_grad=True)
        loss.backward()  # seen
        opt.step()
        """,
        """
        loss = net(x).sum() * torch.tensor(2.0)
        loss.backward()
        opt.step()
        """,
    ),
    Pitfall.PENALTY_WITHOUT_GRAPH: (
        """
        y = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(y).pow(2).sum(), y)  # seen
        (net(y).sum() + g.norm()).backward()
        """,
        """
        y = x.clone().requires_grad_()
        (g,) = torch.autograd.grad(net(y).pow(2).sum(), y, create_graph=True)
        (net(y).sum() + g.norm()).backward()
        """,
    ),
    Pitfall.TARGET_LEARNS: (
        """
        nn.functional.mse_loss(net(x), other(x)).backward()  # seen
        """,
        """
        nn.functional.mse_loss(net(x), other(x).detach()).backward()
        """,
    ),
    Pitfall.CHECKPOINT_CUTS: (
        """
        from torch.utils.checkpoint import checkpoint
        checkpoint(net, x, use_reentrant=True)  # seen
        """,
        """
        from torch.utils.checkpoint import checkpoint
        checkpoint(net, x, use_reentrant=False)
        """,
    ),
    Pitfall.NOT_OPTIMIZED: (
        """
        late = nn.Linear(3, 1)  # seen
        late(net(x)).sum().backward()
        opt.step()
        """,
        """
        late = nn.Linear(3, 1)
        opt.add_param_group({"params": list(late.parameters())})
        late(net(x)).sum().backward()
        opt.step()
        """,
    ),
    Pitfall.NO_OPTIMIZER: (
        """
        head = nn.Linear(3, 1)  # seen
        for _ in range(2):
            head(net(x)).sum().backward()
            opt.step()
        """,
        """
        head = nn.Linear(3, 1)
        own = torch.optim.SGD(head.parameters(), lr=0.1)
        for _ in range(2):
            head(net(x)).sum().backward()
            opt.step()
            own.step()
        """,
    ),
    Pitfall.FREEZE_UNDONE: (
        """
        for p in net.parameters():
            p.requires_grad = False
        for p in net.parameters():
            p.requires_grad = True  # seen
        net(x).sum().backward()
        """,
        """
        net.weight.requires_grad = False
        net(x).sum().backward()
        net.weight.requires_grad = True
        net(x).sum().backward()
        """,
    ),
    Pitfall.GRAPH_UNDER_NO_GRAD: (
        """
        y = x.clone().requires_grad_()
        loss = net(y).pow(2).sum()
        with torch.no_grad():
            torch.autograd.grad(loss, y, create_graph=True)  # seen
        """,
        """
        y = x.clone().requires_grad_()
        loss = net(y).pow(2).sum()
        with torch.no_grad():
            torch.autograd.grad(loss, y)
        """,
    ),
    Pitfall.INPUT_UNUSED: (
        """
        net(x).sum().backward(inputs=[other.weight])  # seen
        """,
        """
        net(x).sum().backward(inputs=[net.weight])
        """,
    ),
    Pitfall.UNRECORDED_CHANGE: (
        """
        hidden = net(x)
        hidden.data.mul_(2)  # seen
        hidden.square().sum().backward()
        """,
        """
        hidden = net(x)
        hidden.data.clamp_(max=100)
        hidden.square().sum().backward()
        """,
    ),
    Pitfall.FROZEN_MOVES: (
        """
        net(x).sum().backward()
        opt.step()
        net.weight.requires_grad_(False)  # seen
        opt.step()
        """,
        """
        net(x).sum().backward()
        net.weight.requires_grad_(False)
        opt.step()
        net.weight.grad = net.bias.grad = None
        opt.step()
        """,
    ),
    Pitfall.FORWARD_CALLED: (
        """
        net.register_forward_hook(print)
        net.forward(x)  # seen
        """,
        """
        net.register_forward_hook(lambda module, given, made: None)
        net(x)
        other.forward(x)
        """,
    ),
    Pitfall.NOT_MARKED_DIRTY: (
        """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                x.mul_(2)  # seen
                return x.sum()
            @staticmethod
            def backward(ctx, grad):
                return 2 * grad.expand(2, 3)
        Double.apply(net(x)).backward()
        """,
        """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                own = x.clone()
                own.mul_(2)
                x.mul_(2)
                ctx.mark_dirty(x)
                return x
            @staticmethod
            def backward(ctx, grad):
                return 2 * grad
        Double.apply(net(x)).sum().backward()
        """,
    ),
    Pitfall.KEPT_ON_CONTEXT: (
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.exp()  # seen
                return ctx.y
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.y
        Exp.apply(net(x)).sum().backward()
        """,
        """
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x, mask):
                y = x.exp()
                ctx.mask, ctx.shape = mask, x.shape
                ctx.save_for_backward(y)
                return y
            @staticmethod
            def backward(ctx, grad):
                return grad * ctx.saved_tensors[0], None
        Exp.apply(net(x), x > 0).sum().backward()
        """,
    ),
    Pitfall.MODE_LEAKS: (
        """
        def evaluate():
            torch.set_grad_enabled(False)  # seen
            return net(x)
        evaluate()
        net(x)
        torch.set_grad_enabled(True)
        """,
        """
        from contextlib import contextmanager
        @contextmanager
        def quiet():
            with torch.no_grad():
                yield
        def evaluate():
            with torch.set_grad_enabled(False):
                return net(x)
        def restored():
            torch.set_grad_enabled(False)
            net(x)
            torch.set_grad_enabled(True)
        @torch.no_grad()
        def decorated():
            return net(x)
        with quiet():
            net(x)
        evaluate(), restored(), decorated()
        net(x)
        """,
    ),
    Pitfall.STATE_OVERWRITTEN: (
        """
        best = net.state_dict()  # seen
        net(x).sum().backward()
        opt.step()
        net.load_state_dict(best)
        """,
        """
        import copy
        best = copy.deepcopy(net.state_dict())
        same = net.state_dict()
        net.load_state_dict(same)
        net(x).sum().backward()
        opt.step()
        other.load_state_dict(same)
        net.load_state_dict(best)
        """,
    ),
    Pitfall.SCALED_GRADIENTS: (
        """
        scaler = torch.amp.GradScaler("cpu")
        scaler.scale(net(x).sum()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)  # seen
        scaler.step(opt)
        """,
        """
        scaler, off = torch.amp.GradScaler("cpu"), torch.amp.GradScaler("cpu", enabled=False)
        scaler.scale(net(x).sum()).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad()
        scaler.scale(net(x).sum()).backward()
        scaler.step(opt)
        opt.zero_grad()
        off.scale(net(x).sum()).backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        opt.step()
        """,
    ),
    Pitfall.MASKED_SINGULARITY: (
        """
        z = torch.zeros(3, requires_grad=True)
        root = z.sqrt()  # seen
        torch.where(z > 0, root, torch.zeros(3)).sum().backward()
        """,
        """
        z = torch.zeros(3, requires_grad=True)
        root = torch.where(z > 0, z, torch.ones(3)).sqrt()
        torch.where(z > 0, root, torch.zeros(3)).sum().backward()
        """,
    ),
    Pitfall.ARGUMENT_OVERWRITTEN: (
        """
        def scaled(hidden):
            hidden *= 2  # seen
            return hidden.sum()
        hidden = torch.ones(3)
        scaled(hidden) + hidden.sum()
        """,
        """
        def scale(hidden):
            hidden *= 2
            return hidden
        def scaled(hidden):
            hidden *= 2
            return hidden.sum()
        scale(torch.ones(3)).sum()
        kept = torch.ones(3)
        scaled(kept)
        """,
    ),
    Pitfall.SNAPSHOT_OVERWRITTEN: (
        """
        before = net.weight.detach()
        net(x).sum().backward()
        opt.step()  # seen
        (net.weight - before).norm()
        """,
        """
        before, row = net.weight.detach().clone(), net.bias.detach()
        row.sum()
        net(x).sum().backward()
        opt.step()
        (net.weight - before).norm()
        """,
    ),
    Pitfall.PARAMETER_REBOUND: (
        """
        w = torch.ones(3, requires_grad=True)
        w.sum().backward()
        with torch.no_grad():
            w = w - 0.1 * w.grad  # seen
        """,
        """
        w = torch.ones(3, requires_grad=True)
        w.sum().backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
        v = torch.ones(3, requires_grad=True)
        v = v.detach()
        """,
    ),
    Pitfall.USED_UP: (
        """
        parameters = net.parameters()
        size = sum(one.numel() for one in parameters)
        torch.optim.SGD([*other.parameters(), *parameters], lr=0.1)  # seen
        """,
        """
        size = sum(one.numel() for one in net.parameters())
        assert not list(nn.ReLU().parameters())
        torch.optim.SGD(net.parameters(), lr=0.1)
        """,
    ),
    Pitfall.TIED_APART: (
        """
        other.weight = nn.Parameter(net.weight)  # seen
        other(net(x)).sum().backward()
        """,
        """
        other.weight = net.weight
        other.bias = nn.Parameter(net.bias.detach().clone())
        other(net(x)).sum().backward()
        """,
    ),
    Pitfall.MODE_NOT_INHERITED: (
        """
        from threading import Thread
        with torch.no_grad():
            thread = Thread(target=net, args=(x,))
            thread.start()  # seen
            thread.join()
        """,
        """
        from asyncio import run
        from threading import Thread
        @torch.no_grad()
        def work():
            net(x)
        @torch.enable_grad()
        async def wait():
            net(x)
        with torch.no_grad():
            thread = Thread(target=work)
            thread.start()
            thread.join()
        run(wait())
        """,
    ),
    Pitfall.FOREIGN_GRADIENT: (
        """
        of_other = torch.optim.SGD(other.parameters(), lr=0.1)
        of_other.zero_grad()
        other(net(x)).sum().backward()  # seen
        of_other.step()
        (-other(net(x)).sum()).backward()
        opt.step()
        """,
        """
        of_other = torch.optim.SGD(other.parameters(), lr=0.1)
        of_other.zero_grad()
        other(net(x).detach()).sum().backward()
        of_other.step()
        (-other(net(x)).sum()).backward()
        opt.step()
        """,
    ),
    Pitfall.CUT_IN_BACKWARD: (
        """
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return 2 * x.detach() * grad  # seen
        w = torch.ones(3, requires_grad=True)
        torch.autograd.grad(Square.apply(w).sum(), w, create_graph=True)
        """,
        """
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, grad):
                (x,) = ctx.saved_tensors
                return 2 * x.detach() * grad
        w = torch.ones(3, requires_grad=True)
        torch.autograd.grad(Square.apply(w).sum(), w)
        """,
    ),
}
