/** Notebooks as the server gives them, for stories. */
import { ago } from "../../gallery/samples";
import type { NotebookRow } from "../../kinds/generated";

export function notebookRow(name: string, phase: NotebookRow["status"]["phase"]): NotebookRow {
  return {
    name,
    namespace: "ml",
    uid: `notebook-${name}`,
    serverType: "jupyter",
    age: ago(86_400),
    last_activity: ago(1_200),
    image: "registry.example/jupyter-scipy:v1.9.0",
    shortImage: "jupyter-scipy:v1.9.0",
    cpu: "500m",
    memory: "1Gi",
    gpus: { count: 0, message: "No GPUs" },
    volumes: [`${name}-workspace`],
    claims: [`${name}-workspace`],
    status: { phase, message: "", state: "" },
    link: `/notebook/ml/${name}/`,
    pod: `${name}-0`,
    node: "node-1",
    stopsInSeconds: 3_600,
    idleSeconds: 1_200,
    usage: { cpuCores: 0.2, memoryBytes: 412_000_000 },
    why: null,
    metadata: {},
  };
}
