import type { ReactNode } from "react";
import { failed, forbidden, live, loading, stale } from "../../gallery/live";
import { EMPTY_HOME, HOME } from "./samples";
import { jobRow } from "../../apps/training/samples";
import type { Live } from "../../api/hooks";
import { KEYS } from "../../apps/pipelines/api/pipelines";
import { clusterUseKey } from "../../api/usage";
import { SESSION_KEY, type Session } from "../../api/session";
import { Cached } from "../../gallery/Cached";
import { FAILED, PIPELINE, RUNNING, SUCCEEDED } from "../../apps/pipelines/samples/pipelines";
import type { Pipeline, Run } from "../../apps/pipelines/kinds/pipelines";
import type { HomeView } from "../../kinds/generated";
import { Loaded } from "../../parts/feedback/Loaded";
import { Home, HomeContent } from "./Home";
import { USE } from "./Usage.stories";

const page = (home: Live<HomeView>) => <Loaded live={home}>{(view) => <HomeContent home={view} />}</Loaded>;

const SESSION: Session = { user: "ada@example.com", version: "0.1.0", logoutUrl: "/", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }], hasWorkgroup: true, registrationAllowed: false };
const MENU = {
  quickLinks: [
    { text: "Create a new Notebook server", desc: "Notebook Servers", link: "/jupyter/new?namespace={ns}" },
    { text: "View all pipeline runs", desc: "Pipelines", link: "/pipeline/#/runs" },
  ],
  documentationItems: [{ text: "Getting Started with Kubeflow", desc: "Get your machine-learning workflow up and running on Kubeflow", link: "https://www.kubeflow.org/docs/started/getting-started/" }],
};
const recent = (runs: Run[], pipelines: Pipeline[], story: ReactNode) => (
  <Cached
    answers={[
      [SESSION_KEY, SESSION],
      [["menu"], MENU],
      [clusterUseKey("ml"), USE],
      [[...KEYS.runs, "recent", "ml", 5], runs],
      [[...KEYS.pipelines, "recent", "ml", 5], pipelines],
    ]}
  >
    {story}
  </Cached>
);

const withoutNamespace = (registrationAllowed: boolean) => (
  <Cached answers={[[SESSION_KEY, { ...SESSION, memberships: [], hasWorkgroup: false, registrationAllowed }]]}>
    <Home />
  </Cached>
);

export const title = "Home page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => recent([RUNNING, FAILED, SUCCEEDED], [PIPELINE, { ...PIPELINE, pipeline_id: "p-2", display_name: "a-pipeline-with-a-rather-long-name-that-has-to-be-cut-somewhere" }], page(live(HOME))),
  empty: () => recent([], [], page(live(EMPTY_HOME))),
  "before pipelines have answered": () => page(live(HOME)),
  "many jobs": () => page(live({ ...HOME, jobs: Array.from({ length: 200 }, (_, index) => ({ ...jobRow(`run-${index}`, "Running"), uid: `run-${index}` })) })),
  loading: () => page(loading()),
  stale: () => page(stale(HOME)),
  failed: () => page(failed()),
  forbidden: () => page(forbidden()),
  "no namespace, registration is on": () => withoutNamespace(true),
  "no namespace, registration is off": () => withoutNamespace(false),
};
