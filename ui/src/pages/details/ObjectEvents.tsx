import { useObjects } from "../../api/hooks";
import type { ObjectKey, Resource } from "../../api/k8s";
import { EVENTS, eventItem, type CoreEvent } from "../../kinds/events";
import { EventList } from "../../parts/events/EventList";
import { Loaded } from "../../parts/feedback/Loaded";

/** What happened to an object, the newest first. */
export function ObjectEvents({ resource, object }: { resource: Resource; object: ObjectKey }) {
  const events = useObjects<CoreEvent>(EVENTS, {
    namespace: object.namespace,
    fieldSelector: `involvedObject.kind=${resource.kind},involvedObject.name=${object.name}`,
  });
  return <Loaded live={events}>{(found) => <EventList events={found.map(eventItem)} />}</Loaded>;
}
