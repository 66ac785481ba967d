/** Events of the API as lists show them. Pure. */
import type { Resource } from "../api/k8s";
import type { EventItem } from "../parts/events/EventList";

export const EVENTS: Resource = { group: "", version: "v1", resource: "events", kind: "Event", namespaced: true };

/** An Event of the core group, as far as lists need it. */
export interface CoreEvent {
  metadata: { uid: string; creationTimestamp: string };
  involvedObject: { kind?: string; name?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { count?: number; lastObservedTime?: string };
}

export const eventItem = (event: CoreEvent): EventItem => ({
  type: event.type ?? "Normal",
  reason: event.reason ?? "",
  message: event.message ?? "",
  count: event.series?.count ?? event.count ?? 1,
  last: event.series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime ?? event.metadata.creationTimestamp,
});

/** `Error: ImagePullBackOff` says no more than the state does. */
const SAYS_NOTHING = /^Error: \w+$/;

/** What the newest warning says that says something; without where the message was passed on from. */
export function newestWarning(events: CoreEvent[]): string | undefined {
  return events
    .filter((event) => event.type === "Warning")
    .map((event) => ({ ...eventItem(event), message: (event.message ?? "").replace(/^Reissued from [^:]*: /, "") }))
    .filter((item) => item.message !== "" && !SAYS_NOTHING.test(item.message))
    .sort((a, b) => Date.parse(b.last) - Date.parse(a.last))[0]?.message;
}
