/** The pages of the rail, in plain sight. Plug-ins and an administrator's menu add to them. */
import type { IconName } from "../parts/Icon";
import type { Words } from "../words";

export interface MenuEntry {
  to: string;
  icon: IconName;
  label: (words: Words["shell"]) => string;
  /** Shown to those alone who see the whole cluster. */
  admin?: boolean;
}

export const MENU: MenuEntry[][] = [
  [{ to: "/", icon: "home", label: (words) => words.home }],
  [
    { to: "/jupyter/", icon: "notebook", label: (words) => words.notebooks },
    { to: "/jobs/", icon: "jobs", label: (words) => words.jobs },
    { to: "/pipelines/", icon: "pipeline", label: (words) => words.pipelines },
    { to: "/queues/", icon: "queues", label: (words) => words.queues },
    { to: "/tensorboards/", icon: "board", label: (words) => words.tensorboards },
    { to: "/volumes/", icon: "volume", label: (words) => words.volumes },
  ],
  [
    { to: "/activity", icon: "activity", label: (words) => words.activity },
    { to: "/manage-users", icon: "people", label: (words) => words.people },
    { to: "/objects/", icon: "objects", label: (words) => words.objects },
    { to: "/cluster/", icon: "cluster", label: (words) => words.cluster, admin: true },
  ],
];

/** Outside of the dashboard, as in Kubeflow's menu; each opens a new tab. */
export const OUTSIDE: MenuEntry[] = [
  { to: "https://www.kubeflow.org/docs/", icon: "book", label: (words) => words.documentation },
  { to: "https://github.com/kubeflow/kubeflow", icon: "branch", label: (words) => words.github },
];

/** Whether the page at `path` belongs to an entry. */
export function isCurrent(entry: string, path: string): boolean {
  return entry === "/" ? path === "/" : path === entry || path.startsWith(entry.endsWith("/") ? entry : `${entry}/`);
}
