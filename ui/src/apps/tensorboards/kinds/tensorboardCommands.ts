/** Buttons of TensorBoards as command lines that do the same. Pure. */
import { applyCommand } from "../../../kinds/commands";

/** A first board, over a folder of a volume. */
export const newBoardCommand = (namespace: string): string =>
  applyCommand(`apiVersion: tensorboard.kubeflow.org/v1alpha1
kind: Tensorboard
metadata:
  name: curves
  namespace: ${namespace}
spec:
  logspath: pvc://datasets/logs`);
