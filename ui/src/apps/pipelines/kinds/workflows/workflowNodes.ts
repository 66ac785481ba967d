/** The nodes of a Workflow's status as tasks, so that a Workflow is drawn as a run is. Pure. */
import type { Workflow } from "../../../../kinds/generated";
import { dig, isObject, list, object, text, type Json } from "../../../../kinds/json";
import type { Artifact, TaskValues } from "../pipelines";
import { runGraph, type GraphNode } from "../graph/pipelinesGraph";
import type { NodeState, TaskRecord } from "../graph/pipelinesTasks";
import { readArgo, resolvedSpec } from "./workflowSpec";
import { isOver, rowOf, workflowState } from "./workflows";

const STATES: Record<string, NodeState> = {
  Pending: "pending",
  Running: "running",
  Succeeded: "succeeded",
  Failed: "failed",
  Error: "failed",
  Skipped: "skipped",
  Omitted: "skipped",
};
const TYPES: Record<string, string> = { DAG: "DAG", Steps: "DAG", StepGroup: "GROUP", TaskGroup: "LOOP", Suspend: "SUSPEND" };
const OWN_ENDPOINT = "minio-service.kubeflow:9000";
const MAX_NAME = 253;
const HASH_LENGTH = 11;

/** The 32-bit FNV-1a hash. */
export function fnv32a(value: string): number {
  let hash = 2_166_136_261;
  for (const byte of new TextEncoder().encode(value)) hash = Math.imul(hash ^ byte, 16_777_619);
  return hash >>> 0;
}

/** The name of a node's pod, as Argo makes it. */
export function podName(workflow: string, node: string, template: string): string {
  if (node === workflow) return workflow;
  const prefix = template === "" ? workflow : `${workflow}-${template}`;
  return `${prefix.slice(0, MAX_NAME - HASH_LENGTH)}-${fnv32a(node)}`;
}

/** What has become of the steps of a Workflow. */
export function workflowGraph(workflow: Workflow): GraphNode[] {
  return runGraph(readArgo({ ...workflow }).steps, workflowRecords(workflow), isOver(workflowState(rowOf(workflow))), true);
}

/** A task for each node. */
export function workflowRecords(workflow: Workflow): TaskRecord[] {
  const nodes = Object.values(object(dig(workflow.status, "nodes"))).filter(isObject);
  const { name, namespace = "" } = workflow.metadata;
  const root = nodes.find((node) => text(node["id"]) === name);
  const isGroup = root !== undefined && TYPES[text(root["type"])] === "DAG";
  const entrypoint = text(resolvedSpec(workflow)["entrypoint"]);
  return nodes.map((node) => {
    const record = recordOf(node, { namespace, name });
    if (isGroup) return node === root ? { ...record, type: "ROOT", parent: "" } : { ...record, parent: record.parent || name };
    // A Workflow of one container has no root besides it: its node, and its attempts, are named after the Workflow.
    return text(node["name"]).startsWith(`${name}.`) ? { ...record, name: record.name.slice(name.length + 1) } : { ...record, name: record.name.replace(name, () => entrypoint), label: record.name.replace(name, () => entrypoint), parent: "" };
  });
}

function recordOf(node: Json, workflow: { namespace: string; name: string }): TaskRecord {
  const id = text(node["id"]);
  const label = text(node["displayName"]) || text(node["name"]);
  const started = text(node["startedAt"]) || undefined;
  const isReused = dig(node, "memoizationStatus", "hit") === true;
  return {
    id,
    name: label,
    label,
    parent: text(node["boundaryID"]),
    type: TYPES[text(node["type"])] ?? "RUNTIME",
    state: isReused ? "cached" : (STATES[text(node["phase"])] ?? "pending"),
    iteration: undefined,
    iterationCount: undefined,
    created: started,
    started,
    ended: text(node["finishedAt"]) || undefined,
    message: text(node["message"]),
    pod: text(node["type"]) === "Pod" && !isReused ? podName(workflow.name, text(node["name"]), text(node["templateName"])) : "",
    failedPods: [],
    fingerprint: "",
    cachedFrom: "",
    inputs: valuesOf(node, "inputs", workflow),
    outputs: valuesOf(node, "outputs", workflow),
    history: [],
  };
}

function valuesOf(node: Json, side: "inputs" | "outputs", workflow: { namespace: string; name: string }): TaskValues {
  const given = object(node[side]);
  const parameters = list(given["parameters"])
    .filter((one) => dig(one, "value") !== undefined)
    .map((one) => ({ parameter_key: text(dig(one, "name")), value: dig(one, "value") }));
  const result = side === "outputs" && given["result"] !== undefined ? [{ parameter_key: "result", value: given["result"] }] : [];
  const place = side === "inputs" ? "input-artifacts" : "artifacts";
  const artifacts = list(given["artifacts"]).map((one) => {
    const name = text(dig(one, "name"));
    const path = [workflow.namespace, workflow.name, text(node["id"]), name].map(encodeURIComponent).join("/");
    const artifact: Artifact = { artifact_id: `${text(node["id"])}/${side}/${name}`, name, metadata: {}, download: `/argo/${place}/${path}`, ...uriOf(object(one)) };
    return { artifact_key: name, artifacts: [artifact] };
  });
  return { parameters: [...parameters, ...result], artifacts };
}

/** Where an artifact is; of one that is text in the Workflow nothing. */
function uriOf(artifact: Json): { uri?: string } {
  const s3 = object(artifact["s3"]);
  const [endpoint, bucket, key] = [text(s3["endpoint"]), text(s3["bucket"]) || "mlpipeline", text(s3["key"])];
  if (key !== "") return { uri: `${endpoint === "" || endpoint === OWN_ENDPOINT ? "minio" : "s3"}://${bucket}/${key}` };
  const gcs = object(artifact["gcs"]);
  if (text(gcs["key"]) !== "") return { uri: `gs://${text(gcs["bucket"])}/${text(gcs["key"])}` };
  const azure = object(artifact["azure"]);
  if (text(azure["blob"]) !== "") return { uri: `az://${text(azure["container"])}/${text(azure["blob"])}` };
  const url = text(dig(artifact, "http", "url")) || text(dig(artifact, "git", "repo"));
  return url === "" ? {} : { uri: url };
}
