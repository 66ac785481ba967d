import { useMemo } from "react";
import { useCompleted, useContent } from "../../api/pipelines";
import type { TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { exactMetricText, metricText, v1MetricArtifacts, v1Metrics, type V1Metric } from "../../kinds/pipelinesV1Metrics";
import { ScalarTable } from "../compare/ScalarTable";

/** The metrics that a task of a v1 run has reported by its output `mlpipeline-metrics`. */
export function V1Metrics({ record, namespace }: { record: TaskRecord | undefined; namespace: string }) {
  const named = useMemo(() => (record === undefined ? [] : v1MetricArtifacts(record.outputs)), [record]);
  const uri = [...useCompleted(named).values()][0]?.uri ?? "";
  const content = useContent(namespace, uri, uri !== "");
  const metrics = useMemo(() => parsed(content.data), [content.data]);
  return <ScalarTable scalars={metrics.map(({ name, value, isPercentage }) => ({ name, text: metricText(value, isPercentage), exact: exactMetricText(value, isPercentage) }))} />;
}

function parsed(text: string | undefined): V1Metric[] {
  if (text === undefined) return [];
  try {
    return v1Metrics(JSON.parse(text));
  } catch {
    return [];
  }
}
