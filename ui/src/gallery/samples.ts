/** Parts of views as the server gives them, for stories. */
import type { Amount, Event, Why } from "../kinds/generated";

export const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

export const amount = (value: number, unit = ""): Amount => ({ value, text: `${value}${unit}` });

export const SHORT_OF_GPUS: Why = {
  code: "ClusterInsufficient",
  sentence: "The gang needs 4 nvidia.com/gpu; 1 is free, 3 are held by resnet until about 14:20.",
  reason: null,
  details: {},
  fixes: [
    { code: "suspend", cause: "suspend", subject: "", text: "Suspend resnet, which has a lower priority.", command: "windlass jobs suspend resnet --namespace vision", link: "" },
    { code: "fewer", cause: "fewer", subject: "", text: "Ask for fewer GPUs.", command: "", link: "/jobs/PyTorchJob/ml/bert" },
  ],
};

const KINDS = ["Notebook", "PyTorchJob", "Pod"];

export const events = (count: number): Event[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `event-${index}`, uid: `event-${index}`, resourceVersion: "1", namespace: "ml", creationTimestamp: ago(index * 4_000) },
    involvedObject: { kind: KINDS[index % 3] ?? "Pod", namespace: "ml", name: index % 4 === 0 ? "bert-large-uncased-whole-word-masking-worker-0" : "lab", apiVersion: "v1" },
    type: index % 5 === 0 ? "Warning" : "Normal",
    reason: index % 5 === 0 ? "FailedScheduling" : "Created",
    message: index % 5 === 0 ? "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: not helpful for scheduling." : "Created pod: lab-0",
    count: (index % 3) + 1,
    lastTimestamp: ago(index * 4_000),
  }));

export const MARKDOWN_TEXT = "# Churn model\n\nAccuracy **0.923** on *48,211* rows; see [the notes](https://example.com).\n\n| class | precision |\n|---|---|\n| stays | 0.94 |\n| leaves | 0.88 |\n\n- trained on `train.csv`\n- <script>alert(1)</script> is text\n";
