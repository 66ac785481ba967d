/** The pages of the rail: those of the platform, in plain sight, and those of each app. Plug-ins and an administrator's menu add to them. */
import { APPS } from "../apps";
import type { MenuEntry, MenuGroup } from "../apps/app";

const PLATFORM_ENTRIES: MenuEntry[] = [
  { to: "/", icon: "home", label: (words) => words.shell.home, group: "start", order: 10 },
  { to: "/activity", icon: "activity", label: (words) => words.shell.activity, group: "cluster", order: 10 },
  { to: "/objects/", icon: "objects", label: (words) => words.shell.objects, group: "cluster", order: 30 },
  { to: "/cluster/", icon: "cluster", label: (words) => words.shell.cluster, group: "cluster", order: 40, admin: true },
];

const GROUPS: MenuGroup[] = ["start", "work", "cluster"];

const ENTRIES = [...PLATFORM_ENTRIES, ...APPS.flatMap((app) => app.menu ?? [])].sort((a, b) => a.order - b.order);

export const MENU: MenuEntry[][] = GROUPS.map((group) => ENTRIES.filter((entry) => entry.group === group));

/** Outside of the dashboard, as in Kubeflow's menu; each opens a new tab. */
export const OUTSIDE: Pick<MenuEntry, "to" | "icon" | "label">[] = [
  { to: "https://www.kubeflow.org/docs/", icon: "book", label: (words) => words.shell.documentation },
  { to: "https://github.com/kubeflow/kubeflow", icon: "branch", label: (words) => words.shell.github },
];

/** Whether the page at `path` belongs to an entry. */
export function isCurrent(entry: string, path: string): boolean {
  return entry === "/" ? path === "/" : path === entry || path.startsWith(entry.endsWith("/") ? entry : `${entry}/`);
}
