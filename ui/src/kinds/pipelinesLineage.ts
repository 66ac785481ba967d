/** Which tasks made an artifact and which read it, across runs. Pure. */
import { nameOf, type Artifact, type ArtifactLink, type Run } from "./pipelines";
import { recordsOf } from "./pipelinesTasks";

export interface LineageEnd {
  runId: string;
  run: string;
  taskId: string;
  task: string;
  /** What the artifact is called there. */
  key: string;
  /** What went into the task that made it, or came out of a task that read it. */
  others: Artifact[];
}

/** Links of outputs are `OUTPUT`, `ONE_OF_OUTPUT`, `ITERATOR_OUTPUT` and the like; `TASK_OUTPUT_INPUT` is an input. */
export const isProducer = (link: ArtifactLink): boolean => /OUTPUT$/.test(link.type ?? "");

export function lineageOf(links: ArtifactLink[], runs: Run[]): { producers: LineageEnd[]; consumers: LineageEnd[] } {
  const ends = links.map((link) => ({ isMade: isProducer(link), end: endOf(link, runs) }));
  return { producers: ends.filter((one) => one.isMade).map((one) => one.end), consumers: ends.filter((one) => !one.isMade).map((one) => one.end) };
}

function endOf(link: ArtifactLink, runs: Run[]): LineageEnd {
  const run = runs.find((one) => one.run_id === link.run_id);
  const record = run && recordsOf(run).find((one) => one.id === link.task_id);
  const values = isProducer(link) ? record?.inputs : record?.outputs;
  return {
    runId: link.run_id ?? "",
    run: run === undefined ? "" : nameOf(run),
    taskId: link.task_id ?? "",
    task: record?.label || link.producer?.task_name || link.task_id || "",
    key: link.key ?? "",
    others: (values?.artifacts ?? []).flatMap((one) => one.artifacts ?? []),
  };
}
