"""Source: torchvision/transforms/transforms.py."""

import torch
from torch import nn

class Compose:
    def __init__(self, transforms):
        self.transforms = transforms

    def __call__(self, img):
        for transform in self.transforms:
            img = transform(img)
        return img

class Normalize(nn.Module):
    def __init__(self, mean, std, inplace=False):
        super().__init__()
        self.mean = mean
        self.std = std
        self.inplace = inplace

    def forward(self, tensor):
        mean = torch.as_tensor(self.mean).view(-1, 1, 1)
        std = torch.as_tensor(self.std).view(-1, 1, 1)
        own = tensor if self.inplace else tensor.clone()
        return own.sub_(mean).div_(std)

class Lambda:
    def __init__(self, lambd):
        self.lambd = lambd

    def __call__(self, img):
        return self.lambd(img)
