# The numbers that the tests of zoo expect: what torchvision's models give for the weights, statistics and images that
# zoo_check.hpp makes up.   usage: python3 torch_values.py     (Debian: python3-torch, python3-torchvision, libopenblas0)
import functools
import math

import numpy
import torch
import torchvision.models as models


def random_unit(stream, count):
    """nn::random_unit(stream, 0), nn::random_unit(stream, 1), ...: splitmix64."""
    golden = numpy.uint64(0x9E3779B97F4A7C15)
    with numpy.errstate(over="ignore"):
        z = numpy.uint64(stream) + numpy.arange(1, count + 1, dtype=numpy.uint64) * golden
        z = (z ^ (z >> numpy.uint64(30))) * numpy.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> numpy.uint64(27))) * numpy.uint64(0x94D049BB133111EB)
        z ^= z >> numpy.uint64(31)
    return (z >> numpy.uint64(40)).astype(numpy.float64) * 2.0**-24


def made_up(values, like):
    return torch.from_numpy(values.astype(numpy.float32)).reshape(like.shape)


def fill(model, gain):
    stream, norm = 0, 1000
    with torch.no_grad():
        for name, p in model.named_parameters():
            unit = random_unit(stream, p.numel())
            if p.dim() > 1:
                values = (2 * unit - 1) * math.sqrt(gain / (p.numel() / p.shape[0]))
            elif name.endswith("weight"):
                values = 0.75 + unit / 2
            else:
                values = (unit - 0.5) / 4
            p.copy_(made_up(values, p))
            stream += 1
        for m in model.modules():
            if isinstance(m, torch.nn.BatchNorm2d):
                unit = random_unit(norm, 2 * m.num_features)
                m.running_mean.copy_(made_up((unit[: m.num_features] - 0.5) / 2, m.running_mean))
                m.running_var.copy_(made_up(0.75 + unit[m.num_features :] / 2, m.running_var))
                norm += 1
    return model.eval()


def show(name, model, size, gain):  # the first ten numbers of the second image
    images = made_up(2 * random_unit(7777, 2 * 3 * size * size) - 1, torch.empty(2, 3, size, size))
    with torch.no_grad():
        values = fill(model, gain)(images)[1, :10].tolist()
    print(f"{name}, {size} x {size}, gain {gain}: " + ", ".join(f"{v:.6g}f" for v in values))


def small_images(model):
    model.conv1 = torch.nn.Conv2d(3, 64, 3, padding=1, bias=False)
    model.maxpool = torch.nn.Identity()
    return model


def vgg16():  # of small images: the classifier sees 512 x 1 x 1
    model = models.vgg16()
    model.avgpool = torch.nn.Identity()
    model.classifier[0] = torch.nn.Linear(512, 4096)
    return model


def show_transformer(gain):
    """A small ViT. Here the patches come first, and tables of one row are what they are: a row."""
    model = models.VisionTransformer(image_size=16, patch_size=4, num_layers=2, num_heads=3, hidden_dim=48, mlp_dim=192, num_classes=10,
                                     norm_layer=functools.partial(torch.nn.LayerNorm, eps=1e-5))
    named = dict(model.named_parameters())
    first = ["conv_proj.weight", "conv_proj.bias", "class_token", "encoder.pos_embedding"]
    with torch.no_grad():
        for stream, name in enumerate(first + [name for name in named if name not in first]):
            p = named[name]
            unit = random_unit(stream, p.numel())
            rows = p.shape[1] if name == "encoder.pos_embedding" else p.shape[0]
            if p.dim() > 1 and name != "class_token":
                values = (2 * unit - 1) * math.sqrt(gain / (p.numel() / rows))
            elif name == "class_token" or name.endswith("weight"):
                values = 0.75 + unit / 2
            else:
                values = (unit - 0.5) / 4
            p.copy_(made_up(values, p))
        images = made_up(2 * random_unit(7777, 2 * 3 * 16 * 16) - 1, torch.empty(2, 3, 16, 16))
        values = model.eval()(images)[1].tolist()
    print(f"vit, 16 x 16, gain {gain}: " + ", ".join(f"{v:.6g}f" for v in values))


resnext = models.resnet.ResNet(models.resnet.Bottleneck, [3, 4, 23, 3], groups=32, width_per_group=4)
show("resnet18", models.resnet18(), 32, 3)
show("resnet18 of small images", small_images(models.resnet18()), 16, 3)
show("resnet50", models.resnet50(), 32, 3)
show("resnet101", models.resnet101(), 32, 3)
show("resnext101", resnext, 32, 3)
show("vgg16", vgg16(), 32, 6.5)
show("efficientnet_b0", models.efficientnet_b0(), 40, 8)
show("efficientnet_b4", models.efficientnet_b4(), 40, 7)
show_transformer(3)
