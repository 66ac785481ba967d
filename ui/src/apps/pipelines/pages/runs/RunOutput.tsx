import { useMemo } from "react";
import type { Run } from "../../kinds/pipelines";
import { v1Metadata } from "../../kinds/pipelinesMetrics";
import { recordsOf, type TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { v1MetricArtifacts } from "../../kinds/pipelinesV1Metrics";
import { Card } from "../../../../parts/card/Card";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Stack } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";
import { V1Metrics } from "../tasks/V1Metrics";
import { V1Visualisations } from "../tasks/V1Visualisations";

const hasVisualisations = (record: TaskRecord): boolean => v1Metadata(record.outputs).length > 0;
const hasMetrics = (record: TaskRecord): boolean => v1MetricArtifacts(record.outputs).length > 0;

/** What a task of a v1 run asks to show, and its metrics. */
export function TaskOutput({ record, namespace }: { record: TaskRecord | undefined; namespace: string }) {
  const isMetricsAlone = record !== undefined && hasMetrics(record) && !hasVisualisations(record);
  return (
    <div className={styles.group}>
      <V1Metrics record={record} namespace={namespace} />
      {!isMetricsAlone && <V1Visualisations record={record} namespace={namespace} />}
    </div>
  );
}

/** The same of all tasks of a v1 run that have any. */
export function RunOutput({ run, namespace }: { run: Run; namespace: string }) {
  const words = useWords().pipelines.run;
  const records = useMemo(() => recordsOf(run).filter((record) => hasMetrics(record) || hasVisualisations(record)), [run]);
  if (records.length === 0) return <EmptyState icon="pipeline" sentence={words.noOutput} />;
  return (
    <Stack>
      {records.map((record) => (
        <Card key={record.id} title={record.label}>
          <TaskOutput record={record} namespace={namespace} />
        </Card>
      ))}
    </Stack>
  );
}
