# pyright: reportMissingImports=false
"""torch.distributed: each worker computes gradients on its own batches, and all apply their mean."""

import digits
import torch
import torch.distributed as dist

dist.init_process_group("gloo")  # where to meet, how many and which one this is: the job says so in the environment
worker, workers = dist.get_rank(), dist.get_world_size()
torch.set_num_threads(1)
images, labels, test_images, test_labels = (torch.from_numpy(part) for part in digits.load())
variables = [torch.from_numpy(start).requires_grad_() for start in digits.weights()]


def predict(inputs: torch.Tensor) -> torch.Tensor:
    first, first_bias, second, second_bias = variables
    return torch.relu(inputs @ first + first_bias) @ second + second_bias


def step(inputs: torch.Tensor, wanted: torch.Tensor) -> float:
    loss = torch.nn.functional.cross_entropy(predict(inputs), wanted)
    for variable, gradient in zip(variables, torch.autograd.grad(loss, variables), strict=True):
        dist.all_reduce(gradient)
        variable.data -= digits.RATE * gradient / workers
    return loss.item()


for epoch in range(1, digits.EPOCHS + 1):
    losses = [step(images[batch], labels[batch]) for batch in digits.batches(len(images), worker, workers, epoch)]
    digits.report_epoch(epoch, sum(losses) / len(losses))
if worker == 0:
    accuracy = (predict(test_images).argmax(dim=1) == test_labels).float().mean().item()
    digits.report_result(accuracy, workers)
dist.destroy_process_group()
