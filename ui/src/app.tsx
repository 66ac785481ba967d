/** The routes, in plain sight. Each page is a chunk of its own. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, retainSearchParams, type AnyRoute } from "@tanstack/react-router";
import { landingOf } from "./apps/pipelines/kinds/pipelinesLinks";
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
    const landing = landingOf(location.pathname, location.hash);
    // eslint-disable-next-line @typescript-eslint/only-throw-error
    if (landing !== undefined) throw redirect({ to: landing.to, search: landing.search, hash: "", replace: true });
  },
  validateSearch: (search: Record<string, unknown>): Search =>
    Object.fromEntries(Object.entries(search).map(([key, value]) => [key, typeof value === "object" || value === undefined ? undefined : String(value as string | number | boolean)])),
  // Every link keeps the namespace, unless it names another.
  search: { middlewares: [retainSearchParams<Search>(["ns"])] },
});

type PageModule = () => Promise<Record<string, unknown>>;

const page = (path: string, load: PageModule, name: string): AnyRoute =>
  createRoute({ getParentRoute: () => root, path, component: lazyRouteComponent(retrying(load), name) });

const PAGES = [
  page("/", () => import("./pages/home/Home"), "Home"),
  page("/activity", () => import("./pages/activity/Activity"), "Activity"),
  page("/manage-users", () => import("./apps/profiles/pages/people/People"), "People"),
  page("/register", () => import("./apps/profiles/pages/register/Register"), "Register"),
  page("/account", () => import("./pages/account/Account"), "Account"),
  page("/jupyter/", () => import("./apps/notebooks/pages/NotebookList"), "NotebookList"),
  page("/jupyter/new", () => import("./apps/notebooks/pages/form/NewNotebook"), "NewNotebook"),
  page("/jupyter/notebook/details/$namespace/$name", () => import("./apps/notebooks/pages/NotebookDetails"), "NotebookDetails"),
  page("/tensorboards/", () => import("./apps/tensorboards/pages/TensorboardList"), "TensorboardList"),
  page("/tensorboards/new", () => import("./apps/tensorboards/pages/NewTensorboard"), "NewTensorboard"),
  page("/tensorboards/details/$namespace/$name", () => import("./apps/tensorboards/pages/TensorboardDetails"), "TensorboardDetails"),
  page("/volumes/", () => import("./apps/volumes/pages/VolumeList"), "VolumeList"),
  page("/volumes/new", () => import("./apps/volumes/pages/NewVolume"), "NewVolume"),
  page("/volumes/details/$namespace/$name", () => import("./apps/volumes/pages/VolumeDetails"), "VolumeDetails"),
  page("/jobs/", () => import("./apps/training/pages/JobList"), "JobList"),
  page("/jobs/compare", () => import("./apps/training/pages/compare/CompareJobs"), "CompareJobs"),
  page("/jobs/new", () => import("./apps/training/pages/new/NewJob"), "NewJob"),
  page("/jobs/$kind/$namespace/$name", () => import("./apps/training/pages/JobDetails"), "JobDetails"),
  page("/queues/", () => import("./apps/volcano/pages/QueueList"), "QueueList"),
  page("/queues/$name", () => import("./apps/volcano/pages/QueueDetails"), "QueueDetails"),
  page("/cluster/", () => import("./pages/cluster/Cluster"), "Cluster"),
  page("/objects/", () => import("./pages/objects/ResourceIndex"), "ResourceIndex"),
  page("/objects/$group/$version/$resource", () => import("./pages/objects/ObjectList"), "ObjectList"),
  page("/objects/$group/$version/$resource/new", () => import("./pages/objects/NewObject"), "NewObject"),
  page("/objects/$group/$version/$resource/$namespace/$name", () => import("./pages/objects/ObjectDetails"), "ObjectDetails"),
  page("/_/$", () => import("./pages/frame/Frame"), "Frame"),
  page("/katib/", () => import("./pages/later/NotYet"), "NotYet"),
  page("/kserve-endpoints/", () => import("./pages/later/NotYet"), "NotYet"),
  page("/pipelines/", () => import("./apps/pipelines/pages/catalogue/PipelineList"), "PipelineList"),
  page("/pipelines/upload", () => import("./apps/pipelines/pages/catalogue/UploadPipeline"), "UploadPipeline"),
  page("/pipelines/details/$id", () => import("./apps/pipelines/pages/catalogue/PipelineDetails"), "PipelineDetails"),
  page("/pipelines/runs/", () => import("./apps/pipelines/pages/runs/RunList"), "RunList"),
  page("/pipelines/runs/new", () => import("./apps/pipelines/pages/new-run/NewRun"), "NewRun"),
  page("/pipelines/runs/compare", () => import("./apps/pipelines/pages/compare/Compare"), "Compare"),
  page("/pipelines/runs/details/$id", () => import("./apps/pipelines/pages/runs/RunDetails"), "RunDetails"),
  page("/pipelines/experiments/", () => import("./apps/pipelines/pages/experiments/ExperimentList"), "ExperimentList"),
  page("/pipelines/experiments/$id", () => import("./apps/pipelines/pages/experiments/ExperimentDetails"), "ExperimentDetails"),
  page("/pipelines/recurring/", () => import("./apps/pipelines/pages/recurring/RecurringRunList"), "RecurringRunList"),
  page("/pipelines/recurring/$id", () => import("./apps/pipelines/pages/recurring/RecurringRunDetails"), "RecurringRunDetails"),
  page("/pipelines/artifacts/", () => import("./apps/pipelines/pages/artifacts/ArtifactList"), "ArtifactList"),
  page("/pipelines/artifacts/$id", () => import("./apps/pipelines/pages/artifacts/ArtifactDetails"), "ArtifactDetails"),
  page("/pipelines/workflows/", () => import("./apps/pipelines/pages/workflows/WorkflowList"), "WorkflowList"),
  page("/pipelines/workflows/$namespace/$name", () => import("./apps/pipelines/pages/workflows/WorkflowDetails"), "WorkflowDetails"),
  page("/pipelines/cron-workflows/", () => import("./apps/pipelines/pages/workflows/CronWorkflowList"), "CronWorkflowList"),
  page("/pipelines/cron-workflows/$namespace/$name", () => import("./apps/pipelines/pages/workflows/CronWorkflowDetails"), "CronWorkflowDetails"),
  page("/pipelines/executions/", () => import("./apps/pipelines/pages/executions/ExecutionList"), "ExecutionList"),
  page("/pipelines/executions/$id", () => import("./apps/pipelines/pages/executions/ExecutionDetails"), "ExecutionDetails"),
];

export const router = createRouter({
  routeTree: root.addChildren(PAGES),
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
  trailingSlash: "preserve",
});
