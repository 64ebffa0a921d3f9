"""Source: torchvision/models/resnet.py; a layer has two blocks at most."""

from torch import nn

class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, *options, **more):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)

class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None, *options, **more):
        super().__init__()
        self.conv1 = nn.Conv2d(inplanes, planes, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(planes)
        self.conv2 = nn.Conv2d(planes, planes, 3, stride, 1, bias=False)
        self.bn2 = nn.BatchNorm2d(planes)
        self.conv3 = nn.Conv2d(planes, planes * self.expansion, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(planes * self.expansion)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample

    def forward(self, x):
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        out = self.bn3(self.conv3(out))
        out += x if self.downsample is None else self.downsample(x)
        return self.relu(out)

class ResNet(nn.Module):
    def __init__(
        self,
        block,
        layers,
        num_classes=1000,
        zero_init_residual=False,
        groups=1,
        width_per_group=64,
        replace_stride_with_dilation=None,
        norm_layer=None,
    ):
        super().__init__()
        dilated = replace_stride_with_dilation or [False, False, False]
        self.inplanes = 64
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = nn.BatchNorm2d(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], 1 if dilated[0] else 2)
        self.layer3 = self._make_layer(block, 256, layers[2], 1 if dilated[1] else 2)
        self.layer4 = self._make_layer(block, 512, layers[3], 1 if dilated[2] else 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
        outgoing = planes * block.expansion
        downsample = None
        if stride != 1 or self.inplanes != outgoing:
            downsample = nn.Sequential(
                nn.Conv2d(self.inplanes, outgoing, 1, stride, bias=False),
                nn.BatchNorm2d(outgoing),
            )
        found = [block(self.inplanes, planes, stride, downsample)]
        self.inplanes = outgoing
        if blocks > 1:
            found.append(block(outgoing, planes))
        return nn.Sequential(*found)

    def _forward_impl(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(self.avgpool(x).flatten(1))

    def forward(self, x):
        return self._forward_impl(x)

def resnet18(weights=None, progress=True, **options):
    return ResNet(BasicBlock, [2, 2, 2, 2], **_options(options))

def resnet34(weights=None, progress=True, **options):
    return ResNet(BasicBlock, [3, 4, 6, 3], **_options(options))

def resnet50(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 4, 6, 3], **_options(options))

def resnet101(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 4, 23, 3], **_options(options))

def resnet152(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 8, 36, 3], **_options(options))

def resnext50_32x4d(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 4, 6, 3], **_options(options))

def resnext101_32x8d(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 4, 23, 3], **_options(options))

def wide_resnet50_2(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 4, 6, 3], **_options(options))

def wide_resnet101_2(weights=None, progress=True, **options):
    return ResNet(Bottleneck, [3, 4, 23, 3], **_options(options))

def _options(options):
    options.pop("pretrained", None)
    return options
