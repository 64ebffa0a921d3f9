"""Source: fastai/data/core.py."""

from torch.utils.data import DataLoader

class DataLoaders:
    def __init__(self, *loaders: DataLoader, path=".", device=None):
        self.loaders = list(loaders)

    def __getitem__(self, i):
        return self.loaders[i]

    @property
    def train(self):
        return self.loaders[0]

    @property
    def valid(self):
        return self.loaders[1]
