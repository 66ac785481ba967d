/** Pages, actions, namespaces and kinds that the palette finds. Pure. */
import { objectPath } from "../api/discovery";
import type { Resource } from "../api/k8s";
import type { ForeignEntry } from "../api/menu";
import { ALL } from "../api/namespace";
import type { Missing } from "../api/rights";
import { APPS } from "../apps";
import type { IconName } from "../parts/Icon";
import type { Words } from "../words";
import { MENU, OUTSIDE } from "./menu";

export interface Entry {
  id: string;
  label: string;
  detail: string;
  icon: IconName;
  /** A page of the dashboard. */
  to?: string;
  /** A page of others: in a frame, or in a new tab. */
  outside?: ForeignEntry;
  /** A namespace that becomes the chosen one. */
  namespace?: string;
  /** The right that is missing: the entry is shown, disabled, with the reason. */
  missing?: Missing;
}

/** The right that is missing to make one of some kinds. */
export type LacksToCreate = (...resources: Resource[]) => Missing;

export function pageEntries(words: Words, isAdmin: boolean): Entry[] {
  const pages = MENU.flat()
    .filter((entry) => !entry.admin || isAdmin)
    .map((entry) => ({ id: entry.to, label: entry.label(words), detail: "", icon: entry.icon, to: entry.to }));
  const more = APPS.flatMap((app) => app.search?.pages ?? []).map(({ to, icon, label, detail }) => ({ id: to, label: label(words), detail: detail(words), icon, to }));
  return [...pages, ...more, { id: "/account", label: words.shell.account, detail: "", icon: "person", to: "/account" }];
}

const CREATIONS = APPS.flatMap((app) => app.search?.creations ?? []).sort((a, b) => a.order - b.order);

export function actionEntries(words: Words, lacks: LacksToCreate): Entry[] {
  return CREATIONS.map(({ id, label, icon, to, resources }) => ({ id, label: label(words), detail: "", icon, to, missing: lacks(...resources) }));
}

/** Entries of plug-ins, of an administrator's menu, and what is outside of the dashboard. */
export function foreignPages(words: Words, foreign: ForeignEntry[]): Entry[] {
  const outside = OUTSIDE.map((entry) => ({ text: entry.label(words), href: entry.to, external: true, icon: entry.icon }));
  const others = foreign.map((entry) => ({ ...entry, icon: entry.external ? ("external" as const) : ("link" as const) }));
  return [...others, ...outside].map(({ icon, ...entry }, index) => ({ id: `outside ${index} ${entry.href}`, label: entry.text, detail: entry.external ? words.shell.newTab : "", icon, outside: entry }));
}

export function namespaceEntries(words: Words, namespaces: string[], chosen: string): Entry[] {
  return namespaces
    .filter((name) => name !== chosen)
    .map((name) => ({ id: `namespace ${name}`, label: name === ALL ? words.shell.allNamespaces : name, detail: words.shell.chooseNamespace, icon: "folder", namespace: name }));
}

/** The lists of all kinds that the server has. */
export function kindEntries(words: Words, resources: Resource[]): Entry[] {
  return resources.map((one) => ({ id: `kind ${one.group}/${one.version}/${one.resource}`, label: one.kind, detail: one.group === "" ? words.shell.objects : one.group, icon: "objects", to: objectPath(one) }));
}
