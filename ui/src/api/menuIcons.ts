/** Icons of the ConfigMap `centraldashboard-config`, which names Polymer's, as ours. Pure. */
import type { IconName } from "../parts/Icon";

const ALIKE: Record<string, IconName> = {
  "access-alarm": "clock",
  "account-circle": "person",
  archive: "archive",
  assessment: "board",
  assignment: "file",
  book: "book",
  "bubble-chart": "experiment",
  build: "settings",
  cloud: "cluster",
  code: "terminal",
  dashboard: "jobs",
  description: "file",
  "done-all": "check",
  "event-note": "activity",
  folder: "folder",
  group: "people",
  help: "info",
  history: "clock",
  home: "home",
  info: "info",
  katib: "experiment",
  launch: "external",
  link: "link",
  list: "queues",
  models: "endpoint",
  notebook: "notebook",
  "open-in-new": "external",
  people: "people",
  person: "person",
  pipeline: "pipeline",
  "pipeline-centered": "pipeline",
  "play-arrow": "play",
  "directions-run": "play",
  schedule: "clock",
  search: "search",
  settings: "settings",
  "show-chart": "board",
  storage: "volume",
  timeline: "board",
  "trending-up": "board",
};

/** `device:storage`, `kubeflow:katib`, `book`; undefined where the set has nothing alike. */
export const iconOf = (name: unknown): IconName | undefined => {
  const plain = typeof name === "string" ? name.slice(name.indexOf(":") + 1) : "";
  return Object.hasOwn(ALIKE, plain) ? ALIKE[plain] : undefined;
};
