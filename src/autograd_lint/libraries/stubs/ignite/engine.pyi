"""Sources: ignite/engine/engine.py, ignite/engine/__init__.py."""

import torch

class State:
    epoch, iteration, batch, output = 0, 0, None, None

class Engine:
    def __init__(self, process_function):
        self._process_function = process_function
        self.state = State()

    def on(self, event_name, *args, **kwargs):
        return lambda function: function

    def run(self, data=None, max_epochs=1, epoch_length=None):
        for _ in range(max_epochs):
            for batch in data:
                self._process_function(self, batch)
        return self.state

def create_supervised_trainer(model, optimizer, loss_fn, **options):
    def step(engine, batch):
        optimizer.zero_grad()
        model.train()
        x, y = batch
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        return loss.item()

    return Engine(step)

def create_supervised_evaluator(model, metrics=None, **options):
    @torch.no_grad()
    def step(engine, batch):
        model.eval()
        x, y = batch
        return model(x), y

    return Engine(step)
