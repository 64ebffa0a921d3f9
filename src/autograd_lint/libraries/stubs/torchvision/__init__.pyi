"""Source: torchvision/__init__.py."""

from torchvision import models as models
