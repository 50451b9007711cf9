# The numbers that the tests of zoo expect: what torchvision's models, and BERT and GPT-2 as they are written below, give for the
# weights, statistics, images and tokens that zoo_check.hpp makes up.
# usage: python3 torch_values.py     (Debian: python3-torch, python3-torchvision, libopenblas0)
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


class Attention(torch.nn.Module):
    """Queries, keys and values of all heads from one layer, and the layer behind. `seen`: [text, query, key]."""

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = torch.nn.Linear(width, 3 * width)
        self.out = torch.nn.Linear(width, width)

    def forward(self, x, seen):
        def of_heads(y):
            return y.reshape(*y.shape[:2], self.heads, -1).transpose(1, 2)

        q, k, v = map(of_heads, self.qkv(x).chunk(3, dim=-1))
        scores = (q @ k.transpose(2, 3) / math.sqrt(q.shape[-1])).masked_fill(~seen[:, None], -math.inf)
        return self.out((scores.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))


class Bert(torch.nn.Module):
    """Devlin and others 2019: norms behind sums, exact GELU, 1e-12 in norms. `head(self)` is what stands behind."""

    def __init__(self, vocabulary, positions, width, heads, layers, head):
        super().__init__()
        self.norm_of_width = functools.partial(torch.nn.LayerNorm, width, eps=1e-12)
        self.token = torch.nn.Embedding(vocabulary, width)
        self.segment = torch.nn.Embedding(2, width)
        self.position = torch.nn.Embedding(positions, width)
        self.norm = self.norm_of_width()
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleList([Attention(width, heads), self.norm_of_width(), torch.nn.Linear(width, 4 * width),
                                 torch.nn.Linear(4 * width, width), self.norm_of_width()]) for _ in range(layers))
        self.head = head(self)

    def forward(self, tokens, segments, texts):
        x = self.norm(self.token(tokens) + self.segment(segments) + self.position.weight[: tokens.shape[1]])
        seen = texts[:, :, None] == texts[:, None, :]
        for attention, norm, wide, back, last in self.layers:
            x = norm(x + attention(x, seen))
            x = last(x + back(torch.nn.functional.gelu(wide(x))))
        return self.head(x)


class Follows(torch.nn.Sequential):
    def __init__(self, bert):
        width = bert.token.embedding_dim
        super().__init__(torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, 2))

    def forward(self, x):
        return super().forward(x[:, 0])


class Tokens(torch.nn.Sequential):
    def __init__(self, bert):
        table = bert.token.weight
        super().__init__(torch.nn.Linear(table.shape[1], table.shape[1]), torch.nn.GELU(), bert.norm_of_width(), torch.nn.Linear(*table.shape[::-1]))
        self[3].weight = table  # tied; its biases are its own


class Answer(torch.nn.Linear):
    def __init__(self, bert):
        super().__init__(bert.token.embedding_dim, 2)

    def forward(self, x):
        return super().forward(x).transpose(1, 2)


class Pretraining(torch.nn.Module):
    """The sum of both losses. Masked tokens: a mean over all positions, to which those that are not masked add nothing."""

    def __init__(self, bert):
        super().__init__()
        self.follows = Follows(bert)
        self.tokens = Tokens(bert)

    def forward(self, x):
        positions = torch.arange(x.shape[1])
        losses = []
        for sample, (scores, follows) in enumerate(zip(self.tokens(x), self.follows(x))):
            wanted = torch.where(positions % 4 == 1, (7 * positions + sample) % scores.shape[1], -100)
            masked = torch.nn.functional.cross_entropy(scores, wanted, reduction="sum") / x.shape[1]
            losses.append(masked + torch.nn.functional.cross_entropy(follows[None], torch.tensor([sample % 2])))
        return torch.stack(losses)[:, None]


class Gpt2(torch.nn.Module):
    """Radford and others 2019: norms in front of branches, GELU by tanh, 1e-5 in norms; scores by the table."""

    def __init__(self, vocabulary, positions, width, heads, layers):
        super().__init__()
        self.token = torch.nn.Embedding(vocabulary, width)
        self.position = torch.nn.Embedding(positions, width)
        self.layers = torch.nn.ModuleList(
            torch.nn.ModuleList([torch.nn.LayerNorm(width), Attention(width, heads), torch.nn.LayerNorm(width), torch.nn.Linear(width, 4 * width),
                                 torch.nn.Linear(4 * width, width)]) for _ in range(layers))
        self.norm = torch.nn.LayerNorm(width)

    def forward(self, tokens):
        x = self.token(tokens) + self.position.weight[: tokens.shape[1]]
        seen = torch.ones(1, tokens.shape[1], tokens.shape[1], dtype=torch.bool).tril()
        for first, attention, second, wide, back in self.layers:
            x = x + attention(first(x), seen)
            x = x + back(torch.nn.functional.gelu(wide(second(x)), approximate="tanh"))
        return self.norm(x) @ self.token.weight.T


def show_language_models(gain):  # of the second of two samples the last ten numbers
    positions, vocabulary = 12, 40
    sizes = {"vocabulary": vocabulary, "positions": 16, "width": 48, "heads": 3, "layers": 2}
    tokens = torch.from_numpy((random_unit(7777, 2 * positions) * vocabulary).astype(numpy.int64)).reshape(2, positions)
    place = torch.arange(positions).expand(2, positions)
    segments = (place >= 5).long()
    texts = segments + (place >= 10).long()

    def show_last(name, values):
        print(f"{name}, gain {gain}: " + ", ".join(f"{v:.6g}f" for v in values[1].reshape(-1)[-10:].tolist()))

    with torch.no_grad():
        for head in [Tokens, Follows, Answer, Pretraining]:
            show_last(f"bert, {head.__name__}", fill(Bert(**sizes, head=head), gain)(tokens, segments, texts))
        show_last("gpt2", fill(Gpt2(**sizes), gain)(tokens))


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
show_language_models(3)
