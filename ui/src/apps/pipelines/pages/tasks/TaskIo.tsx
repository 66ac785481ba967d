import { useMemo } from "react";
import { useCompleted } from "../../api/pipelines";
import type { Artifact, IoArtifact, IoParameter, TaskValues } from "../../kinds/pipelines";
import { parameterText } from "../../kinds/pipelinesForm";
import { artifactKind, typeLabel } from "../../kinds/pipelinesMetrics";
import type { TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { CopiedName } from "../../../../parts/text/Copy";
import { useWords } from "../../../../words";
import { ArtifactLink } from "../artifacts/ArtifactLink";
import { ArtifactPreview } from "../artifacts/ArtifactPreview";
import styles from "../Pipelines.module.css";

/** What a task was given and what it has put out. */
export function TaskIo({ record, namespace }: { record: TaskRecord | undefined; namespace: string }) {
  const words = useWords().pipelines.task;
  if (record === undefined) return <p className={styles.quiet}>{words.waiting}</p>;
  return (
    <div className={styles.group}>
      <Values title={words.outputs} values={record.outputs} namespace={namespace} hasPreview />
      <Values title={words.inputs} values={record.inputs} namespace={namespace} />
    </div>
  );
}

function Values({ title, values, namespace, hasPreview }: { title: string; values: TaskValues; namespace: string; hasPreview?: boolean }) {
  const words = useWords().pipelines.task;
  const parameters = values.parameters ?? [];
  const outputs = values.artifacts;
  const artifacts = useMemo(() => (outputs ?? []).flatMap((output) => output.artifacts ?? []), [outputs]);
  const completed = useCompleted(artifacts);
  return (
    <section className={styles.group} aria-label={title}>
      <h3>{title}</h3>
      {parameters.length === 0 && artifacts.length === 0 && <p className={styles.quiet}>{words.none}</p>}
      <dl className={styles.ioList}>
        {parameters.map((parameter, index) => (
          <Parameter key={`${parameter.parameter_key ?? ""}${index}`} parameter={parameter} />
        ))}
        {(outputs ?? []).map((output, index) => (
          <ArtifactList key={`${output.artifact_key ?? ""}${index}`} output={output} completed={completed} />
        ))}
      </dl>
      {hasPreview &&
        [...completed.values()].filter(isDrawn).map((artifact) => <ArtifactPreview key={artifact.artifact_id} artifact={artifact} namespace={namespace} />)}
    </section>
  );
}

/** Metrics, HTML and Markdown are drawn here; what is only a file has its page. */
const isDrawn = (artifact: Artifact): boolean => ["metrics", "classification", "sliced", "html", "markdown"].includes(artifactKind(artifact));

function Parameter({ parameter }: { parameter: IoParameter }) {
  const words = useWords().pipelines.task;
  return (
    <>
      <dt>
        {parameter.parameter_key}
        {parameter.producer?.task_name !== undefined && <div className={styles.quiet}>{words.from(parameter.producer.task_name)}</div>}
      </dt>
      <dd>
        <code className={styles.value} tabIndex={0}>
          {parameterText(parameter.value)}
        </code>
      </dd>
    </>
  );
}

function ArtifactList({ output, completed }: { output: IoArtifact; completed: Map<string, Artifact> }) {
  return (
    <>
      <dt>{output.artifact_key}</dt>
      <dd>
        {(output.artifacts ?? []).map(({ artifact_id: id }) => {
          const artifact = completed.get(id);
          return (
            <div key={id}>
              <ArtifactLink artifact={artifact ?? { artifact_id: id }} name={output.artifact_key} /> <span className={styles.quiet}>{typeLabel(artifact?.type)}</span>
              {artifact?.uri !== undefined && <div className={styles.quiet}><CopiedName text={artifact.uri} /></div>}
            </div>
          );
        })}
      </dd>
    </>
  );
}
