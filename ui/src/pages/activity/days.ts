/** Events by day, newest first. Pure. */
import { objectPath } from "../../api/discovery";
import type { Resource } from "../../api/k8s";
import type { Event } from "../../kinds/generated";

export interface Happened {
  event: Event;
  at: string;
}

/** The newest time that an event gives. */
export function timeOf(event: Event): string {
  return event.lastTimestamp ?? event.eventTime ?? event.firstTimestamp ?? event.metadata.creationTimestamp;
}

/** `day` is the local date; within it and among the days the newest come first. */
export function byDay(events: Event[]): [day: string, events: Happened[]][] {
  const days = new Map<string, Happened[]>();
  const newestFirst = events
    .map((event) => ({ event, at: timeOf(event) }))
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at));
  for (const happened of newestFirst) {
    const day = new Date(happened.at).toDateString();
    days.set(day, [...(days.get(day) ?? []), happened]);
  }
  return [...days];
}

/** Kinds whose objects have a page of their own. */
const PAGES: Record<string, string> = {
  Notebook: "/jupyter/notebook/details",
  Tensorboard: "/tensorboards/details",
  PersistentVolumeClaim: "/volumes/details",
  Workflow: "/pipelines/workflows",
  CronWorkflow: "/pipelines/cron-workflows",
};
const JOB = /^(TF|PyTorch|MPI|XGBoost|Paddle|JAX|MX|Chainer|Train)?Job$/;

interface Involved {
  kind?: string;
  namespace?: string;
  name?: string;
  apiVersion?: string;
}

/** Where an object is shown: on its kind's own page, else on that of any object; undefined for what the server does not have. */
export function pageOf(object: Involved, resources: Resource[]): string | undefined {
  const { kind = "", namespace = "", name = "", apiVersion = "" } = object;
  const page = PAGES[kind];
  if (page !== undefined) return `${page}/${namespace}/${name}`;
  if (JOB.test(kind) && !apiVersion.startsWith("batch/") && kind !== "") return `/jobs/${kind}/${namespace}/${name}`;
  const resource = apiVersion === "" ? undefined : resources.find((one) => one.kind === kind && one.group === groupOf(apiVersion));
  return resource && objectPath(resource, { namespace: resource.namespaced ? namespace : "", name });
}

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "");
