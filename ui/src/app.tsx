/** The routes: pages of the platform, in plain sight, and those of each app. Each page is a chunk of its own. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, retainSearchParams, type AnyRoute } from "@tanstack/react-router";
import { APPS } from "./apps";
import { page, type AppPage } from "./apps/app";
import { NotFound } from "./pages/NotFound";
import { retrying } from "./api/chunks";
import { PageFailed } from "./shell/PageFailed";
import { Shell } from "./shell/Shell";

/** What a URL may carry besides the path; pages read the ones they know. */
type Search = Record<string, string | undefined>;

const root = createRootRoute({
  component: Shell,
  notFoundComponent: NotFound,
  // SDKs print addresses of Kubeflow's own pages: `/pipeline/#/runs/details/…`.
  beforeLoad: ({ location }) => {
    const landing = APPS.map((app) => app.landing?.(location.pathname, location.hash)).find((one) => one !== undefined);
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (landing !== undefined) throw redirect({ to: landing.to, search: landing.search, hash: "", replace: true });
  },
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([key, value]) => [key, typeof value === "object" || value === undefined ? undefined : String(value as string | number | boolean)])),
  // Every link keeps the namespace, unless it names another.
  search: { middlewares: [retainSearchParams<Search>(["ns"])] },
});

const PLATFORM_PAGES = [
  page("/", () => import("./pages/home/Home"), "Home"),
  page("/activity", () => import("./pages/activity/Activity"), "Activity"),
  page("/account", () => import("./pages/account/Account"), "Account"),
  page("/cluster/", () => import("./pages/cluster/Cluster"), "Cluster"),
  page("/objects/", () => import("./pages/objects/ResourceIndex"), "ResourceIndex"),
  page("/objects/$group/$version/$resource", () => import("./pages/objects/ObjectList"), "ObjectList"),
  page("/objects/$group/$version/$resource/new", () => import("./pages/objects/NewObject"), "NewObject"),
  page("/objects/$group/$version/$resource/$namespace/$name", () => import("./pages/objects/ObjectDetails"), "ObjectDetails"),
  page("/_/$", () => import("./pages/frame/Frame"), "Frame"),
  page("/katib/", () => import("./pages/later/NotYet"), "NotYet"),
  page("/kserve-endpoints/", () => import("./pages/later/NotYet"), "NotYet"),
];

const routeOf = ({ path, load, component }: AppPage): AnyRoute =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(retrying(load), component) });

export const router = createRouter({
  routeTree: root.addChildren([...PLATFORM_PAGES, ...APPS.flatMap((app) => app.pages)].map(routeOf)),
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
  trailingSlash: "preserve",
});
