import type { ReactNode } from "react";
import { EventList, type EventItem } from "./EventList";

export const title = "Events";

const event = (index: number): EventItem => ({
  type: index % 3 === 0 ? "Warning" : "Normal",
  reason: index % 3 === 0 ? "FailedScheduling" : "Created",
  message: index % 3 === 0 ? "0/3 nodes are available: 3 Insufficient cpu." : "Created container pytorch",
  count: index + 1,
  last: new Date(Date.now() - index * 61_000).toISOString(),
  about: `Pod fit-worker-${index}`,
});

export const stories: Record<string, () => ReactNode> = {
  few: () => <EventList events={[0, 1, 2, 3].map(event)} />,
  many: () => <EventList events={Array.from({ length: 500 }, (_, index) => event(index))} />,
  none: () => <EventList events={[]} />,
};
