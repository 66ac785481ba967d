/** Jobs as the server gives them, for stories. */
import { SHORT_OF_GPUS, ago } from "../../gallery/samples";
import type { JobRow } from "../../kinds/generated";

export function jobRow(name: string, state: JobRow["state"], index = 0): JobRow {
  return {
    kind: index % 3 === 2 ? "TFJob" : "PyTorchJob",
    apiVersion: "kubeflow.org/v1",
    namespace: "ml",
    name,
    uid: `job-${name}`,
    framework: "pytorch",
    state,
    why: state === "Waiting" ? SHORT_OF_GPUS : null,
    ready: state === "Running" ? 4 : 0,
    total: 4,
    roles: [{ role: "Worker", ready: state === "Running" ? 4 : 0, failed: 0, total: 4 }],
    gang: { name, minMember: 4, phase: state },
    queue: "research",
    priorityClass: "",
    priority: 0,
    created: ago(3_600 * (index + 1)),
    started: null,
    ended: null,
    durationSeconds: null,
    metric: null,
    restarts: 0,
  };
}
