/** An app of the dashboard: the parts that the platform has places for. The platform knows an app by these alone. */
import type { ComponentType } from "react";
import type { Resource } from "../api/k8s";
import type { Session } from "../api/session";
import type { HomeView } from "../kinds/generated";
import type { IconName } from "../parts/Icon";
import type { Action } from "../parts/overlay/ActionMenu";
import type { State } from "../parts/pill/Pill";
import type { Words } from "../words";

export interface App {
  /** The name of the folder; in Python the app has the same one. */
  name: string;
  /** First segments of the paths that are the app's own: links of others to them lead to its pages. */
  addresses: readonly string[];
  pages: readonly AppPage[];
  menu?: MenuEntry;
  search?: AppSearch;
  /** The page of an object of one of the app's kinds; undefined for objects of others. */
  pageOf?: (object: ObjectName) => string | undefined;
  /** The page for an address of Kubeflow's own dashboard, which SDKs print; undefined for all other addresses. */
  landing?: (pathname: string, hash: string) => Landing | undefined;
}

/** A page, which is a chunk of its own. */
export interface AppPage {
  path: string;
  load: () => Promise<Record<string, unknown>>;
  /** The name by which the module exports the component. */
  component: string;
}

export const page = (path: string, load: AppPage["load"], component: string): AppPage => ({ path, load, component });

export type MenuGroup = "start" | "work" | "cluster";

/** An entry of the rail. */
export interface MenuEntry {
  to: string;
  icon: IconName;
  label: (words: Words) => string;
  group: MenuGroup;
  /** The place among the entries of the group. */
  order: number;
  /** Shown only to those who see the whole cluster. */
  admin?: boolean;
}

/** Pages, actions and objects that the palette finds. */
export interface AppSearch {
  /** Pages besides the one of the menu. */
  pages?: readonly SearchedPage[];
  creations?: readonly Creation[];
  /** A hook: the objects of the chosen namespace that are known. */
  useObjects?: () => FoundObject[];
}

export interface SearchedPage {
  to: string;
  icon: IconName;
  label: (words: Words) => string;
  detail: (words: Words) => string;
}

/** A form that creates something. */
export interface Creation {
  id: string;
  to: string;
  icon: IconName;
  label: (words: Words) => string;
  /** The right to create one of these is enough. */
  resources: readonly Resource[];
  /** The place among the creations of all apps. */
  order: number;
}

export interface FoundObject {
  id: string;
  label: string;
  detail: string;
  icon: IconName;
  to: string;
  /** A hook: actions on the object, with the rights and the questions of its page. The same hooks for each object of an app. */
  useActions?: () => Action[];
}

/** The search result for an object that has a page at `base`, its namespace and its name. */
export const foundAt =
  (kind: string, icon: IconName, base: string) =>
  ({ namespace, name }: { namespace: string; name: string }): FoundObject => ({
    id: `${kind}/${namespace}/${name}`,
    label: name,
    detail: `${kind} · ${namespace}`,
    icon,
    to: `${base}/${namespace}/${name}`,
  });

export interface ObjectName {
  apiVersion: string;
  kind: string;
  namespace: string;
  name: string;
}

/** `pageOf` for kinds whose pages are at an address, the namespace and the name. */
export const pagesAt =
  (bases: Record<string, string>) =>
  ({ kind, namespace, name }: ObjectName): string | undefined => {
    const base = Object.hasOwn(bases, kind) ? bases[kind] : undefined;
    return base && `${base}/${namespace}/${name}`;
  };

export interface Landing {
  to: string;
  search: Record<string, string>;
}

/** The parts of the home page that belong to an app. They are in the chunk of that page: `apps/home.ts` lists them. */
export interface AppHome {
  /** A form that the page has a button for; the page's primary one where `isPrimary`. */
  creation?: Creation;
  isPrimary?: boolean;
  /** Lines of the card of everything that runs or is about to. Pure. */
  runningIn?: (home: HomeView, words: Words) => RunningObject[];
  /** Cards of the wide column, below the one of everything that runs. */
  wide?: readonly ComponentType<{ home: HomeView }>[];
  /** Cards of the narrow column, below the capacity. */
  narrow?: readonly ComponentType<{ home: HomeView }>[];
  /** The page of a person without a namespace. */
  WithoutNamespace?: ComponentType<{ session: Session }>;
}

/** An object that runs or is about to. */
export interface RunningObject {
  id: string;
  to: string;
  name: string;
  detail: string;
  state: State;
  /** The address of its own user interface. */
  connect?: string;
}
