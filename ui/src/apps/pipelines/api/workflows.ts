/** Plain Workflows as lists show them: rows that the server prints, without the nodes of each. */
import { useMemo } from "react";
import { PLAIN, workflowRow, type WorkflowRow } from "../kinds/workflows/workflows";
import { WORKFLOWS } from "../kinds/pipelines";
import { useColumns } from "../../../api/discovery";
import { ApiError, messageOf } from "../../../api/errors";
import { usePrintedRows, type Live } from "../../../api/hooks";
import { useNamespace } from "../../../api/namespace";

/** Those of a namespace (`""` for all) that are no runs of pipelines, as they change. */
export function useWorkflowRows(namespace: string | undefined, labelSelector = PLAIN): Live<WorkflowRow[]> {
  const { forNew } = useNamespace();
  const printed = usePrintedRows(namespace === undefined ? undefined : WORKFLOWS, namespace ?? "", labelSelector);
  const { data: columns, error, refetch } = useColumns(WORKFLOWS, namespace || forNew || undefined);
  const names = useMemo(() => columns?.map((column) => column.name), [columns]);
  const data = useMemo(() => (names === undefined ? undefined : printed.data?.map((row) => workflowRow(row, names))), [printed.data, names]);
  return useMemo(() => {
    if (printed.phase !== "live" || error === null) return { ...printed, data };
    const problem = { status: error instanceof ApiError ? error.status : 0, reason: "", message: messageOf(error) };
    return { ...printed, phase: "error", data, problem, retry: () => void refetch() };
  }, [printed, data, error, refetch]);
}
