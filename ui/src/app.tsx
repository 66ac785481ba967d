/** The routes, in plain sight. Each page is a chunk of its own. */
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect, retainSearchParams, type AnyRoute } from "@tanstack/react-router";
import { landingOf } from "./kinds/pipelinesLinks";
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
  page("/manage-users", () => import("./pages/people/People"), "People"),
  page("/register", () => import("./pages/register/Register"), "Register"),
  page("/account", () => import("./pages/account/Account"), "Account"),
  page("/jupyter/", () => import("./pages/notebooks/NotebookList"), "NotebookList"),
  page("/jupyter/new", () => import("./pages/notebooks/NewNotebook"), "NewNotebook"),
  page("/jupyter/notebook/details/$namespace/$name", () => import("./pages/notebooks/NotebookDetails"), "NotebookDetails"),
  page("/tensorboards/", () => import("./pages/tensorboards/TensorboardList"), "TensorboardList"),
  page("/tensorboards/new", () => import("./pages/tensorboards/NewTensorboard"), "NewTensorboard"),
  page("/tensorboards/details/$namespace/$name", () => import("./pages/tensorboards/TensorboardDetails"), "TensorboardDetails"),
  page("/volumes/", () => import("./pages/volumes/VolumeList"), "VolumeList"),
  page("/volumes/new", () => import("./pages/volumes/NewVolume"), "NewVolume"),
  page("/volumes/details/$namespace/$name", () => import("./pages/volumes/VolumeDetails"), "VolumeDetails"),
  page("/jobs/", () => import("./pages/jobs/JobList"), "JobList"),
  page("/jobs/compare", () => import("./pages/jobs/CompareJobs"), "CompareJobs"),
  page("/jobs/new", () => import("./pages/jobs/NewJob"), "NewJob"),
  page("/jobs/$kind/$namespace/$name", () => import("./pages/jobs/JobDetails"), "JobDetails"),
  page("/queues/", () => import("./pages/queues/QueueList"), "QueueList"),
  page("/queues/$name", () => import("./pages/queues/QueueDetails"), "QueueDetails"),
  page("/cluster/", () => import("./pages/cluster/Cluster"), "Cluster"),
  page("/objects/", () => import("./pages/objects/ResourceIndex"), "ResourceIndex"),
  page("/objects/$group/$version/$resource", () => import("./pages/objects/ObjectList"), "ObjectList"),
  page("/objects/$group/$version/$resource/new", () => import("./pages/objects/NewObject"), "NewObject"),
  page("/objects/$group/$version/$resource/$namespace/$name", () => import("./pages/objects/ObjectDetails"), "ObjectDetails"),
  page("/_/$", () => import("./pages/frame/Frame"), "Frame"),
  page("/katib/", () => import("./pages/later/NotYet"), "NotYet"),
  page("/kserve-endpoints/", () => import("./pages/later/NotYet"), "NotYet"),
  page("/pipelines/", () => import("./pages/pipelines/PipelineList"), "PipelineList"),
  page("/pipelines/upload", () => import("./pages/pipelines/UploadPipeline"), "UploadPipeline"),
  page("/pipelines/details/$id", () => import("./pages/pipelines/PipelineDetails"), "PipelineDetails"),
  page("/pipelines/runs/", () => import("./pages/pipelines/RunList"), "RunList"),
  page("/pipelines/runs/new", () => import("./pages/pipelines/NewRun"), "NewRun"),
  page("/pipelines/runs/compare", () => import("./pages/pipelines/Compare"), "Compare"),
  page("/pipelines/runs/details/$id", () => import("./pages/pipelines/RunDetails"), "RunDetails"),
  page("/pipelines/experiments/", () => import("./pages/pipelines/ExperimentList"), "ExperimentList"),
  page("/pipelines/experiments/$id", () => import("./pages/pipelines/ExperimentDetails"), "ExperimentDetails"),
  page("/pipelines/recurring/", () => import("./pages/pipelines/RecurringRunList"), "RecurringRunList"),
  page("/pipelines/recurring/$id", () => import("./pages/pipelines/RecurringRunDetails"), "RecurringRunDetails"),
  page("/pipelines/artifacts/", () => import("./pages/pipelines/ArtifactList"), "ArtifactList"),
  page("/pipelines/artifacts/$id", () => import("./pages/pipelines/ArtifactDetails"), "ArtifactDetails"),
  page("/pipelines/workflows/", () => import("./pages/workflows/WorkflowList"), "WorkflowList"),
  page("/pipelines/workflows/$namespace/$name", () => import("./pages/workflows/WorkflowDetails"), "WorkflowDetails"),
  page("/pipelines/cron-workflows/", () => import("./pages/workflows/CronWorkflowList"), "CronWorkflowList"),
  page("/pipelines/cron-workflows/$namespace/$name", () => import("./pages/workflows/CronWorkflowDetails"), "CronWorkflowDetails"),
  page("/pipelines/executions/", () => import("./pages/pipelines/ExecutionList"), "ExecutionList"),
  page("/pipelines/executions/$id", () => import("./pages/pipelines/ExecutionDetails"), "ExecutionDetails"),
];

export const router = createRouter({
  routeTree: root.addChildren(PAGES),
  defaultPreload: "intent",
  defaultErrorComponent: PageFailed,
  trailingSlash: "preserve",
});
