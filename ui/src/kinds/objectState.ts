/** What an object of any kind does, from its status: conditions, phase, replicas, containers. Pure. */
import type { State } from "../parts/pill/Pill";

export interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
  lastTransitionTime: string | undefined;
}

interface Judged {
  metadata?: { deletionTimestamp?: string | undefined };
  kind?: string;
  status?: unknown;
  spec?: unknown;
}

export interface ObjectState {
  state: State;
  /** In the words of the object: its phase, or the condition. */
  label: string;
  /** Why it is not well; undefined while it is. */
  why: string | undefined;
}

/** Conditions that hold while an object is well. What is not named here says nothing about that when it is false: `Running` of a job that has ended. */
const WELL = new Set([
  "Accepted", "Available", "ContainersReady", "Established", "Healthy", "Initialized", "NamesAccepted", "PodScheduled", "Programmed", "Progressing", "Ready", "ResolvedRefs", "Synced",
]);
/** Conditions that hold while an object is not well, besides those whose names say so. */
const UNWELL = /^(Failed|FailureTarget|Degraded|Stalled|Unschedulable|Unavailable|ReplicaFailure|.*Pressure|.*Unavailable|NonStructuralSchema|.*Failed|.*Failure|.*Error)$/;
const PHASES: [State, string[]][] = [
  ["running", ["running", "active", "bound", "available", "ready", "open", "established", "healthy"]],
  ["succeeded", ["succeeded", "complete", "completed"]],
  ["failed", ["failed", "error", "lost", "aborted", "crashloopbackoff"]],
  ["stopped", ["suspended", "closed", "closing", "terminating", "terminated", "released", "skipped", "omitted"]],
  ["waiting", ["pending", "inqueue", "creating", "starting", "restarting", "waiting", "progressing"]],
];

const record = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {});
const text = (value: unknown): string => (typeof value === "string" ? value : "");
const list = (value: unknown): Record<string, unknown>[] => (Array.isArray(value) ? value.map(record) : []);

/** The conditions in a status, those that fail first. */
export function conditionsOf(object: Judged): Condition[] {
  const all = list(record(object.status)["conditions"]).map((one) => ({
    type: text(one["type"]),
    status: text(one["status"]),
    reason: text(one["reason"]),
    message: text(one["message"]),
    lastTransitionTime: text(one["lastTransitionTime"]) || undefined,
  }));
  return [...all.filter(isFailing), ...all.filter((one) => !isFailing(one))];
}

/** Whether a condition says that something is wrong. A pod that has completed is not ready, and well. */
export function isFailing({ type, status, reason }: Condition): boolean {
  if (reason === "PodCompleted" || reason === "Completed") return false;
  return WELL.has(type) ? status === "False" || (type === "Ready" && status === "Unknown") : UNWELL.test(type) && status === "True";
}

export function phaseState(phase: string): State | undefined {
  return PHASES.find(([, names]) => names.includes(phase.toLowerCase()))?.[0];
}

/** Undefined for what has no state, such as a ConfigMap. */
export function objectState(object: Judged): ObjectState | undefined {
  if (object.metadata?.deletionTimestamp) return { state: "stopped", label: "Terminating", why: undefined };
  const status = record(object.status);
  const conditions = conditionsOf(object);
  const isTrue = (type: string) => conditions.find((one) => one.type === type && one.status === "True");
  const phase = text(status["phase"]);
  const ended = isTrue("Succeeded") ?? isTrue("Complete") ?? isTrue("Completed");
  if (ended !== undefined) return { state: "succeeded", label: ended.type, why: undefined };
  const container = unwellContainer(status);
  const failing = conditions.find(isFailing);
  const failed = phaseState(phase) === "failed" || failing?.type === "Failed" || failing?.type === "FailureTarget";
  if (failed) return { state: "failed", label: phase || "Failed", why: container?.why ?? sentence(failing) ?? (text(status["message"]) || text(status["reason"]) || undefined) };
  if (container !== undefined) return { state: container.state, label: container.label, why: container.why };
  const suspended = isTrue("Suspended");
  if (suspended !== undefined) return { state: "stopped", label: suspended.type, why: undefined };
  if (failing !== undefined && phaseState(phase) !== "succeeded") return { state: UNWELL.test(failing.type) ? "failed" : "waiting", label: phaseState(phase) === "waiting" ? phase : notYet(failing), why: sentence(failing) };
  if (phase !== "") return { state: phaseState(phase) ?? "unknown", label: phase, why: undefined };
  return replicaState(status) ?? wellState(conditions);
}

/** `Not ready`, `MemoryPressure`. */
const notYet = ({ type }: Condition): string => (UNWELL.test(type) ? type : `Not ${type.toLowerCase()}`);

function sentence(condition: Condition | undefined): string | undefined {
  if (condition === undefined) return undefined;
  const said = [condition.reason, condition.message].filter(Boolean).join(": ");
  return said === "" ? `${condition.type} is ${condition.status}` : `${condition.type}: ${said}`;
}

/** The first container of a pod that cannot start or has failed. */
function unwellContainer(status: Record<string, unknown>): ObjectState | undefined {
  for (const one of [...list(status["initContainerStatuses"]), ...list(status["containerStatuses"])]) {
    const waiting = record(record(one["state"])["waiting"]);
    const ended = record(record(one["state"])["terminated"]);
    const reason = text(waiting["reason"]);
    if (reason !== "" && reason !== "ContainerCreating" && reason !== "PodInitializing") {
      const last = record(record(one["lastState"])["terminated"]);
      const ending = typeof last["exitCode"] === "number" ? `the last run ended with exit code ${last["exitCode"]}${last["reason"] === "Error" ? "" : ` (${text(last["reason"])})`}` : text(waiting["message"]);
      return { state: "failed", label: reason, why: said(one, reason, ending) };
    }
    if (typeof ended["exitCode"] === "number" && ended["exitCode"] !== 0) {
      const why = text(ended["message"]) || `exit code ${ended["exitCode"]}`;
      return { state: "failed", label: text(ended["reason"]) || "Failed", why: said(one, text(ended["reason"]), why) };
    }
  }
  return undefined;
}

const said = (container: Record<string, unknown>, reason: string, message: string): string =>
  `Container ${text(container["name"])}: ${[reason, message].filter(Boolean).join(": ")}`;

/** Of sets of pods: how many are ready. */
function replicaState(status: Record<string, unknown>): ObjectState | undefined {
  const total = status["replicas"] ?? status["desiredNumberScheduled"];
  if (typeof total !== "number") return undefined;
  const ready = Number(status["readyReplicas"] ?? status["numberReady"] ?? 0);
  if (total === 0) return { state: "stopped", label: "0/0", why: undefined };
  return { state: ready >= total ? "running" : "waiting", label: `${ready}/${total}`, why: undefined };
}

/** The condition that says that it is well, the plainest first. */
function wellState(conditions: Condition[]): ObjectState | undefined {
  const well = ["Ready", "Available", "Established", "Healthy", "Running", "Accepted", "Programmed"].map((type) => conditions.find((one) => one.type === type && one.status === "True")).find(Boolean);
  return well === undefined ? undefined : { state: "running", label: well.type, why: undefined };
}
