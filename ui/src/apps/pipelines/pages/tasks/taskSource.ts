/** Where the tasks of a graph come from: what their panels can show besides what each task knows itself. */
import type { LogSource } from "../../../../api/logs";
import { taskLogPath } from "../../api/pipelines";

export interface TaskSource {
  /** Where the log of a pod is read; also when the pod is gone. */
  logOf: (pod: string) => Required<Pick<LogSource, "path">> & Pick<LogSource, "format">;
  /** Whether tasks name their visualizations in a file, as those of v1 pipelines do. */
  hasVisualisations: boolean;
  /** Whether tasks are recorded as executions. */
  hasMetadata: boolean;
}

/** The tasks of a run; `isArgo` of a v1 pipeline. */
export const sourceOfRun = (runId: string, isArgo: boolean): TaskSource => ({
  logOf: (pod) => ({ path: taskLogPath(runId, pod) }),
  hasVisualisations: isArgo,
  hasMetadata: true,
});
