/** Pipelines, experiments, runs, recurring runs, artifacts and executions, and Argo Workflows. */
import { page, pagesAt, type App } from "../app";
import { landingOf } from "./kinds/pipelinesLinks";
import { PIPELINE_SEARCH } from "./search";

export const PIPELINES_APP: App = {
  name: "pipelines",
  addresses: ["pipelines", "pipeline"],
  pages: [
    page("/pipelines/", () => import("./pages/catalogue/PipelineList"), "PipelineList"),
    page("/pipelines/upload", () => import("./pages/catalogue/UploadPipeline"), "UploadPipeline"),
    page("/pipelines/details/$id", () => import("./pages/catalogue/PipelineDetails"), "PipelineDetails"),
    page("/pipelines/runs/", () => import("./pages/runs/RunList"), "RunList"),
    page("/pipelines/runs/new", () => import("./pages/new-run/NewRun"), "NewRun"),
    page("/pipelines/runs/compare", () => import("./pages/compare/Compare"), "Compare"),
    page("/pipelines/runs/details/$id", () => import("./pages/runs/RunDetails"), "RunDetails"),
    page("/pipelines/experiments/", () => import("./pages/experiments/ExperimentList"), "ExperimentList"),
    page("/pipelines/experiments/$id", () => import("./pages/experiments/ExperimentDetails"), "ExperimentDetails"),
    page("/pipelines/recurring/", () => import("./pages/recurring/RecurringRunList"), "RecurringRunList"),
    page("/pipelines/recurring/$id", () => import("./pages/recurring/RecurringRunDetails"), "RecurringRunDetails"),
    page("/pipelines/artifacts/", () => import("./pages/artifacts/ArtifactList"), "ArtifactList"),
    page("/pipelines/artifacts/$id", () => import("./pages/artifacts/ArtifactDetails"), "ArtifactDetails"),
    page("/pipelines/workflows/", () => import("./pages/workflows/WorkflowList"), "WorkflowList"),
    page("/pipelines/workflows/$namespace/$name", () => import("./pages/workflows/WorkflowDetails"), "WorkflowDetails"),
    page("/pipelines/cron-workflows/", () => import("./pages/workflows/CronWorkflowList"), "CronWorkflowList"),
    page("/pipelines/cron-workflows/$namespace/$name", () => import("./pages/workflows/CronWorkflowDetails"), "CronWorkflowDetails"),
    page("/pipelines/executions/", () => import("./pages/executions/ExecutionList"), "ExecutionList"),
    page("/pipelines/executions/$id", () => import("./pages/executions/ExecutionDetails"), "ExecutionDetails"),
  ],
  menu: { to: "/pipelines/", icon: "pipeline", label: (words) => words.pipelines.menu, group: "work", order: 30 },
  search: PIPELINE_SEARCH,
  pageOf: pagesAt({ Workflow: "/pipelines/workflows", CronWorkflow: "/pipelines/cron-workflows" }),
  landing: landingOf,
};
