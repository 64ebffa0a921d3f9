"""Source: skorch/net.py; what `partial_fit` and `fit` do to the module."""

import torch
from torch import nn
from torch.utils.data import DataLoader

class NeuralNet:
    def __init__(self, module, criterion, optimizer=torch.optim.SGD, lr=0.01, **options):
        self.module = module
        self.criterion = criterion
        self.optimizer = optimizer
        self.lr = lr

    def initialize(self):
        self.module_ = self.module if isinstance(self.module, nn.Module) else self.module()
        made = isinstance(self.criterion, nn.Module)
        self.criterion_ = self.criterion if made else self.criterion()
        self.optimizer_ = self.optimizer(self.module_.parameters(), lr=self.lr)
        return self

    def get_iterator(self, dataset, training=False) -> DataLoader: ...
    def infer(self, x, **fit_params):
        return self.module_(x, **fit_params)

    def get_loss(self, y_pred, y_true, X=None, training=False):
        return self.criterion_(y_pred, y_true)

    def train_step_single(self, batch, **fit_params):
        self.module_.train()
        Xi, yi = batch
        y_pred = self.infer(Xi, **fit_params)
        loss = self.get_loss(y_pred, yi, X=Xi, training=True)
        loss.backward()
        return {"loss": loss, "y_pred": y_pred}

    def train_step(self, batch, **fit_params):
        def closure():
            self.optimizer_.zero_grad()
            step = self.train_step_single(batch, **fit_params)
            return step["loss"]

        self.optimizer_.step(closure)

    def validation_step(self, batch, **fit_params):
        self.module_.eval()
        with torch.no_grad():
            Xi, yi = batch
            y_pred = self.infer(Xi, **fit_params)
            loss = self.get_loss(y_pred, yi, X=Xi, training=False)
        return {"loss": loss, "y_pred": y_pred}

    def partial_fit(self, X, y=None, classes=None, **fit_params):
        for batch in self.get_iterator((X, y), training=True):
            self.train_step(batch, **fit_params)
        return self

    def fit(self, X, y=None, **fit_params):
        self.initialize()
        return self.partial_fit(X, y, **fit_params)

class NeuralNetClassifier(NeuralNet):
    def __init__(self, module, criterion=nn.NLLLoss, **options):
        super().__init__(module, criterion, **options)

class NeuralNetRegressor(NeuralNet):
    def __init__(self, module, criterion=nn.MSELoss, **options):
        super().__init__(module, criterion, **options)
