/** Events by day, newest first. Pure. */
import { objectPath } from "../../api/discovery";
import type { Resource } from "../../api/k8s";
import type { App, ObjectName } from "../../apps/app";
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

/** Where an object is shown: on the page of its app, else on that of any object; undefined for what the server does not have. */
export function pageOf(object: Partial<ObjectName>, resources: Resource[], apps: readonly Pick<App, "pageOf">[]): string | undefined {
  const { kind = "", namespace = "", name = "", apiVersion = "" } = object;
  const page = apps.map((app) => app.pageOf?.({ apiVersion, kind, namespace, name })).find((one) => one !== undefined);
  if (page !== undefined) return page;
  const resource = apiVersion === "" ? undefined : resources.find((one) => one.kind === kind && one.group === groupOf(apiVersion));
  return resource && objectPath(resource, { namespace: resource.namespaced ? namespace : "", name });
}

const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? (apiVersion.split("/")[0] ?? "") : "");
