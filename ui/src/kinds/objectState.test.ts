import { expect, test } from "vitest";
import { conditionsOf, objectState } from "./objectState";

const condition = (type: string, status: string, more: object = {}) => ({ type, status, ...more });
const terminated = (exitCode: number, reason: string) => ({ containerStatuses: [{ name: "main", state: { terminated: { exitCode, reason } } }] });
const waiting = (reason: string, message = "") => ({ containerStatuses: [{ name: "main", state: { waiting: { reason, message } } }] });

test.each<[what: string, object: object, expected: [string, string, string?] | undefined]>([
  ["a ConfigMap", { data: {} }, undefined],
  ["a pod that runs", { status: { phase: "Running", conditions: [condition("Ready", "True")] } }, ["running", "Running"]],
  ["a pod that has completed", { status: { phase: "Succeeded", conditions: [condition("Ready", "False", { reason: "PodCompleted" })], ...terminated(0, "Completed") } }, ["succeeded", "Succeeded"]],
  ["a pod that was killed", { status: { phase: "Failed", ...terminated(137, "OOMKilled") } }, ["failed", "Failed", "Container main: OOMKilled: exit code 137"]],
  ["a pod without an image", { status: { phase: "Pending", conditions: [condition("Ready", "False")], ...waiting("ImagePullBackOff", "not found") } }, ["failed", "ImagePullBackOff", "Container main: ImagePullBackOff: not found"]],
  ["a pod that crashes", { status: { phase: "Running", containerStatuses: [{ name: "main", state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 20s" } }, lastState: { terminated: { exitCode: 3, reason: "Error" } } }] } }, ["failed", "CrashLoopBackOff", "Container main: CrashLoopBackOff: the last run ended with exit code 3"]],
  ["a pod that is being made", { status: { phase: "Pending", conditions: [condition("ContainersReady", "False", { reason: "ContainersNotReady" })], ...waiting("ContainerCreating") } }, ["waiting", "Pending", "ContainersReady: ContainersNotReady"]],
  ["a pod that fits nowhere", { status: { phase: "Pending", conditions: [condition("PodScheduled", "False", { reason: "Unschedulable", message: "0/1 nodes" })] } }, ["waiting", "Pending", "PodScheduled: Unschedulable: 0/1 nodes"]],
  ["a node under pressure", { status: { conditions: [condition("Ready", "True"), condition("MemoryPressure", "True", { message: "96 %" })] } }, ["failed", "MemoryPressure", "MemoryPressure: 96 %"]],
  ["a node that is silent", { status: { conditions: [condition("Ready", "Unknown")] } }, ["waiting", "Not ready", "Ready is Unknown"]],
  ["a job that has ended", { status: { conditions: [condition("Running", "False"), condition("Succeeded", "True")] } }, ["succeeded", "Succeeded"]],
  ["a job that has failed", { status: { conditions: [condition("Failed", "True", { reason: "BackoffLimitExceeded" })] } }, ["failed", "Failed", "Failed: BackoffLimitExceeded"]],
  ["a job that is suspended", { status: { conditions: [condition("Suspended", "True")] } }, ["stopped", "Suspended"]],
  ["a deployment that is stuck", { status: { replicas: 2, conditions: [condition("Progressing", "False", { reason: "ProgressDeadlineExceeded" })] } }, ["waiting", "Not progressing", "Progressing: ProgressDeadlineExceeded"]],
  ["a stateful set", { status: { replicas: 3, readyReplicas: 1 } }, ["waiting", "1/3"]],
  ["a daemon set", { status: { desiredNumberScheduled: 2, numberReady: 2 } }, ["running", "2/2"]],
  ["a definition", { status: { conditions: [condition("NamesAccepted", "True"), condition("Established", "True")] } }, ["running", "Established"]],
  ["a claim", { status: { phase: "Bound" } }, ["running", "Bound"]],
  ["a phase of others", { status: { phase: "Frobbed" } }, ["unknown", "Frobbed"]],
  ["what is being deleted", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" }, status: { phase: "Active" } }, ["stopped", "Terminating"]],
  ["a status of another shape", { status: { phase: 7, conditions: "none", containerStatuses: [null] } }, undefined],
])("the state of %s", (_, object, expected) => {
  const found = objectState(object);

  expect(found && [found.state, found.label, ...(found.why === undefined ? [] : [found.why])]).toEqual(expected);
});

test("conditions that fail come first", () => {
  const conditions = [condition("Initialized", "True"), condition("PodReadyToStartContainers", "False"), condition("Ready", "False")];

  expect(conditionsOf({ status: { conditions } }).map((one) => one.type)).toEqual(["Ready", "Initialized", "PodReadyToStartContainers"]);
});
