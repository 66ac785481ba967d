/** TensorBoards: where they are served, what their phases mean, and their form. Pure. */
import type { Resource } from "../../../api/k8s";
import type { State } from "../../../parts/pill/Pill";
import type { TensorboardRow } from "../../../kinds/generated";

export const TENSORBOARDS: Resource = {
  group: "tensorboard.kubeflow.org",
  version: "v1alpha1",
  resource: "tensorboards",
  kind: "Tensorboard",
  namespaced: true,
};
export const MAX_NAME = 50;
const NO_EVENT_FILES = "NoEventFiles";

export const boardPath = (key: { namespace: string; name: string }): string =>
  `/tensorboards/details/${encodeURIComponent(key.namespace)}/${encodeURIComponent(key.name)}`;

type Judged = Pick<TensorboardRow, "status" | "why">;

/** One that is not ready either starts, or has a reason not to. */
export function boardState(row: Judged): State {
  if (row.status.phase === "ready") return "running";
  if (row.status.phase === "terminating") return "stopped";
  return row.status.state === "" && row.why === null ? "waiting" : "failed";
}

export function boardWord(row: Judged): "running" | "starting" | "deleting" | "failing" {
  const words = { running: "running", stopped: "deleting", waiting: "starting", failed: "failing" } as const;
  const state = boardState(row);
  return state === "running" || state === "stopped" || state === "waiting" ? words[state] : "failing";
}

/** It runs, and shows nothing. */
export const hasNoEvents = (row: Judged): boolean => row.status.phase === "ready" && row.status.state === NO_EVENT_FILES;

export interface BoardForm {
  name: string;
  storage: "pvc" | "store";
  claim: string;
  path: string;
  link: string;
  configurations: string[];
}

export type BoardError = "required" | "nameCharacters" | "nameLength" | "nameUsed" | "link";

export function boardErrors(form: BoardForm, used: string[]): Partial<Record<string, BoardError>> {
  const errors: Partial<Record<string, BoardError>> = {};
  if (form.name === "") errors["name"] = "required";
  else if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(form.name)) errors["name"] = "nameCharacters";
  else if (form.name.length > MAX_NAME) errors["name"] = "nameLength";
  else if (used.includes(form.name)) errors["name"] = "nameUsed";
  if (form.storage === "pvc" && form.claim === "") errors["claim"] = "required";
  if (form.storage === "store" && !/^[a-z][a-z0-9+.-]*:\/\/\S+$/.test(form.link.trim())) errors["link"] = "link";
  return errors;
}

export function logspathOf(form: BoardForm): string {
  if (form.storage === "store") return form.link.trim();
  const path = form.path.trim().replace(/^\/+|\/+$/g, "");
  return `pvc://${form.claim}${path === "" ? "" : `/${path}`}`;
}

/** The same as a manifest; its namespace is the one in which it is created. */
export const boardManifest = (form: BoardForm): Record<string, unknown> => ({
  apiVersion: `${TENSORBOARDS.group}/${TENSORBOARDS.version}`,
  kind: TENSORBOARDS.kind,
  metadata: { name: form.name, ...(form.configurations.length === 0 ? {} : { labels: Object.fromEntries(form.configurations.map((label) => [label, "true"])) }) },
  spec: { logspath: logspathOf(form) },
});
