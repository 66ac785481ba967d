import { useMemo } from "react";
import { useCompleted, useContent } from "../../api/pipelines";
import { v1Metadata, v1Output, v1Outputs, type V1Output } from "../../kinds/pipelinesMetrics";
import type { TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Markdown } from "../../../../parts/markdown/Markdown";
import { useWords } from "../../../../words";
import { ConfusionTable, CsvTable, HtmlFrame, RocPlot } from "../artifacts/figures";
import { V1Tensorboard } from "./V1Tensorboard";
import styles from "../Pipelines.module.css";

/** What a task of a v1 run asks to show by its output `mlpipeline-ui-metadata`. */
export function V1Visualisations({ record, namespace }: { record: TaskRecord | undefined; namespace: string }) {
  const words = useWords().pipelines.task;
  const named = useMemo(() => (record === undefined ? [] : v1Metadata(record.outputs)), [record]);
  const uri = [...useCompleted(named).values()][0]?.uri ?? "";
  const content = useContent(namespace, uri, uri !== "");
  const outputs = useMemo(() => parsed(content.data), [content.data]);
  if (content.isLoading) return <Skeleton lines={3} />;
  if (outputs.length === 0) return <p className={styles.quiet}>{words.none}</p>;
  return (
    <div className={styles.group}>
      {outputs.map((output, index) => (
        <V1View key={index} output={output} namespace={namespace} />
      ))}
    </div>
  );
}

function parsed(text: string | undefined): V1Output[] {
  if (text === undefined) return [];
  try {
    return v1Outputs(JSON.parse(text));
  } catch {
    return [];
  }
}

export function V1View({ output, namespace }: { output: V1Output; namespace: string }) {
  const words = useWords().pipelines.metrics;
  switch (output.type) {
    case "confusion_matrix":
      return <ConfusionTable matrix={output.matrix} />;
    case "roc":
      return <RocPlot series={[output.series]} />;
    case "table":
      return <CsvTable header={output.header} rows={output.rows} />;
    case "markdown":
      return <Markdown source={output.source} />;
    case "web-app":
      return <HtmlFrame source={output.source} title={words.html} />;
    case "remote":
      return <Remote output={output} namespace={namespace} />;
    case "tensorboard":
      return <V1Tensorboard source={output.source} namespace={namespace} />;
    case "unsupported":
      return <p className={styles.quiet}>{words.unsupported(output.kind)}</p>;
  }
}

/** One whose content is a file of its own. */
function Remote({ output, namespace }: { output: Extract<V1Output, { type: "remote" }>; namespace: string }) {
  const words = useWords().pipelines.artifacts;
  const content = useContent(namespace, output.uri);
  if (content.isError) return <p className={styles.quiet}>{words.empty404}</p>;
  if (content.data === undefined) return <Skeleton lines={3} />;
  return <V1View output={v1Output(output.output, content.data)} namespace={namespace} />;
}
