/** A TensorBoard as the server gives it, for stories. */
import { ago } from "../../gallery/samples";
import type { TensorboardRow } from "../../kinds/generated";

export const TENSORBOARD: TensorboardRow = {
  name: "bert-curves",
  namespace: "ml",
  uid: "board-1",
  logspath: "pvc://datasets/logs/bert",
  claim: "datasets",
  age: ago(7_200),
  status: { phase: "ready", message: "", state: "" },
  link: "/tensorboard/ml/bert-curves/",
  usage: { cpuCores: 0.1, memoryBytes: 200_000_000 },
  why: null,
};
