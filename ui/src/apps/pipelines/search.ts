/** Pages, pipelines and runs in the palette. */
import { useNamespace } from "../../api/namespace";
import { useWords, type Words } from "../../words";
import type { AppSearch, Creation, FoundObject, SearchedPage } from "../app";
import { useRecentPipelines, useRecentRuns } from "./api/pipelinesRecent";
import { PATHS, RIGHTS, nameOf, type Pipeline, type Run } from "./kinds/pipelines";
import { WORKFLOW_PATHS } from "./kinds/workflows/workflows";
import { useRunActions } from "./pages/runs/useRunActions";

/** Pipelines and runs that are found without their pages. */
const MAX_RECENT = 50;

const SECTIONS = [
  ["runs", PATHS.runs],
  ["experiments", PATHS.experiments],
  ["recurring", PATHS.recurringRuns],
  ["artifacts", PATHS.artifacts],
  ["executions", PATHS.executions],
  ["workflows", WORKFLOW_PATHS.workflows],
] as const;

const PAGES: SearchedPage[] = SECTIONS.map(([section, to]) => ({ to, icon: "pipeline", label: (words) => words.pipelines.sections[section], detail: (words) => words.pipelines.menu }));

const CREATIONS: Creation[] = [
  { id: "new-run", to: PATHS.newRun, icon: "plus", label: (words) => words.pipelines.runs.new, resources: [RIGHTS.runs], order: 30 },
  { id: "upload-pipeline", to: PATHS.upload, icon: "upload", label: (words) => words.pipelines.upload, resources: [RIGHTS.pipelines], order: 31 },
];

export const foundPipelines = ({ pipelines: { found } }: Words, pipelines: Pipeline[]): FoundObject[] =>
  pipelines.map((one) => ({ id: `pipeline ${one.pipeline_id}`, label: nameOf(one), detail: found.pipeline, icon: "pipeline", to: PATHS.pipeline(one.pipeline_id) }));

/** `namespace` is the one whose rights decide about actions. */
export const foundRuns = ({ pipelines: { found } }: Words, runs: Run[], namespace: string): FoundObject[] =>
  runs.map((run) => ({
    id: `run ${run.run_id}`,
    label: nameOf(run),
    detail: found.run,
    icon: "pipeline",
    to: PATHS.run(run.run_id),
    useActions: () => useRunActions(run, namespace),
  }));

function useObjects(): FoundObject[] {
  const words = useWords();
  const { forNew } = useNamespace();
  const pipelines = useRecentPipelines(MAX_RECENT).data ?? [];
  const runs = useRecentRuns(MAX_RECENT).data ?? [];
  return [...foundPipelines(words, pipelines), ...foundRuns(words, runs, forNew)];
}

export const PIPELINE_SEARCH: AppSearch = { pages: PAGES, creations: CREATIONS, useObjects };
