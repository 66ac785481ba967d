import type { ReactNode } from "react";
import { failed, forbidden, live, loading, stale } from "../../gallery/live";
import { EMPTY_HOME, HOME, jobRow } from "../../gallery/samples";
import type { Live } from "../../api/hooks";
import type { HomeView } from "../../kinds/generated";
import { Loaded } from "../../parts/feedback/Loaded";
import { HomeContent } from "./Home";

const page = (home: Live<HomeView>) => <Loaded live={home}>{(view) => <HomeContent home={view} />}</Loaded>;

export const title = "Home page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => page(live(HOME)),
  empty: () => page(live(EMPTY_HOME)),
  "many jobs": () => page(live({ ...HOME, jobs: Array.from({ length: 200 }, (_, index) => ({ ...jobRow(`run-${index}`, "Running"), uid: `run-${index}` })) })),
  loading: () => page(loading()),
  stale: () => page(stale(HOME)),
  failed: () => page(failed()),
  forbidden: () => page(forbidden()),
};
