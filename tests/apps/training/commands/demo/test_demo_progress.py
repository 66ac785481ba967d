"""What the demo learns from the lines of its replicas."""

from windlass.apps.training.commands.demo.demo_progress import Progress


def test_the_demo_reads_epochs_losses_and_the_accuracy_from_lines() -> None:
    progress = Progress()
    progress.read_line("worker-0", "epoch 1/15 loss 2.0")
    one = progress.read_line("worker-0", "epoch 2/15 loss 1.0")
    progress.read_line("worker-0", "accuracy 0.97 on digits")

    assert (one.epoch, one.epochs, one.loss, one.curve) == (2, 15, "1.000", "█▅")
    assert progress.accuracy == 0.97
