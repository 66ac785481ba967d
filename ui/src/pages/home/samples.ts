/** The home view as the server gives it, for stories. */
import { ago, amount } from "../../gallery/samples";
import type { AttentionItem, HomeView } from "../../kinds/generated";
import { notebookRow } from "../../apps/notebooks/samples";
import { TENSORBOARD } from "../../apps/tensorboards/samples";
import { jobRow } from "../../apps/training/samples";

const attention = (name: string, sentence: string, index: number): AttentionItem => ({
  object: { apiVersion: "kubeflow.org/v1", kind: "PyTorchJob", namespace: "ml", name, uid: name },
  why: { code: "Failed", sentence, reason: null, details: {}, fixes: [{ code: "memory", cause: "memory", subject: "", text: "Give the container a higher memory limit.", command: "", link: "" }] },
  count: index + 1,
  last: ago(300 * (index + 1)),
  link: `/jobs/PyTorchJob/ml/${name}`,
});

export const EMPTY_HOME: HomeView = { namespace: "ml", jobs: [], notebooks: [], tensorboards: [], attention: [], quotas: [], capacity: [], recentFiles: [], recentJobs: [] };

export const HOME: HomeView = {
  namespace: "ml",
  jobs: [jobRow("bert", "Running"), jobRow("bert-large-uncased-whole-word-masking-finetuned-squad", "Waiting", 1)],
  notebooks: [notebookRow("lab", "ready"), notebookRow("scratch", "waiting")],
  tensorboards: [TENSORBOARD],
  attention: [attention("resnet", "The container pytorch of worker-0 was killed: it used more than its limit of 512Mi.", 0), attention("gpt2", "The image cannot be pulled: registry.example/gpt2:latest was not found.", 2)],
  quotas: [{ quota: "kf-resource-quota", resource: "cpu", hard: amount(8), used: amount(6) }],
  capacity: [
    { resource: "cpu", total: amount(16), requested: amount(11), inUse: amount(15.2), free: amount(5), users: [{ namespace: "ml", kind: "PyTorchJob", name: "bert", amount: amount(8) }, { namespace: "", kind: "", name: "", amount: amount(3) }] },
    { resource: "memory", total: amount(64, "Gi"), requested: amount(64, "Gi"), inUse: amount(12, "Gi"), free: amount(0, "Gi"), users: [{ namespace: "ml", kind: "PyTorchJob", name: "bert", amount: amount(64, "Gi") }] },
    { resource: "nvidia.com/gpu", total: amount(0), requested: amount(0), inUse: null, free: amount(0), users: [] },
    { resource: "disk", total: amount(252, "Gi"), requested: amount(12, "Gi"), inUse: amount(187, "Gi"), free: amount(65, "Gi"), users: [] },
  ],
  recentFiles: [
    { server: "lab", path: "train.ipynb", name: "train.ipynb", modified: ago(400), link: "/notebook/ml/lab/lab/tree/train.ipynb" },
    { server: "lab", path: "a/exploration-of-the-training-set.ipynb", name: "exploration-of-the-training-set.ipynb", modified: ago(90_000), link: "/notebook/ml/lab/lab/tree/a" },
  ],
  recentJobs: [
    { row: jobRow("bert", "Running"), metric: "loss", values: [2, 1.4, 1.1, 0.9, 0.85, 0.6, 0.5] },
    { row: jobRow("resnet", "Failed", 1), metric: "", values: [] },
    { row: jobRow("mnist", "Succeeded", 2), metric: "loss", values: [1, 0.4, 0.2, 0.1] },
  ],
};
