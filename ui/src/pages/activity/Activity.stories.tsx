import type { ReactNode } from "react";
import { failed, forbidden, live, loading } from "../../gallery/live";
import { events } from "../../gallery/samples";
import type { Live } from "../../api/hooks";
import type { Event } from "../../kinds/generated";
import { Loaded } from "../../parts/feedback/Loaded";
import { ActivityList } from "./Activity";

const page = (list: Live<Event[]>) => <Loaded live={list}>{(items) => <ActivityList events={items} />}</Loaded>;

export const title = "Activity page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => page(live(events(30))),
  empty: () => page(live([])),
  "many events": () => page(live(events(600))),
  loading: () => page(loading()),
  failed: () => page(failed(events(3))),
  forbidden: () => page(forbidden()),
};
