# Puts the weights of a torchvision model into a safetensors file of ours: the tensors of both follow each other in the same
# order.   usage: python3 torchvision_weights.py resnet18 names.safetensors weights.safetensors [state_dict.pth]
# `names` is a file of the network that the program has written; without a state_dict, torchvision fetches its own weights.
import json
import sys

import numpy
import torch
import torchvision


def tensors_of(model):
    """The parameters in order, and running means with variances behind them in order: of state_dict, what is trained or kept."""
    parameters = [p.detach() for p in model.parameters()]
    norms = [m for m in model.modules() if isinstance(m, torch.nn.BatchNorm2d)]
    return parameters + [torch.cat([m.running_mean, m.running_var]) for m in norms]


name, names_path, out_path = sys.argv[1:4]
if len(sys.argv) > 4:
    model = getattr(torchvision.models, name)()
    model.load_state_dict(torch.load(sys.argv[4]))
else:
    model = getattr(torchvision.models, name)(weights="DEFAULT")

with open(names_path, "rb") as file:
    length = int.from_bytes(file.read(8), "little")
    header = json.loads(file.read(length))
ours = [(key, facts) for key, facts in header.items() if key != "__metadata__"]
ours.sort(key=lambda tensor: tensor[1]["data_offsets"][0])
theirs = tensors_of(model)
if len(ours) != len(theirs):
    sys.exit(f"{names_path} has {len(ours)} tensors, {name} has {len(theirs)}")
with open(out_path, "wb") as file:
    text = json.dumps(header).encode()
    file.write(len(text).to_bytes(8, "little") + text)
    for (key, facts), tensor in zip(ours, theirs):
        if facts["dtype"] != "F32" or numpy.prod(facts["shape"]) != tensor.numel():
            sys.exit(f"{key} of shape {facts['shape']} is not the tensor of shape {list(tensor.shape)} in {name}")
        file.write(tensor.numpy().astype("<f4").tobytes())
