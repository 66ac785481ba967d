import { Link } from "@tanstack/react-router";
import { useExecution } from "../../api/pipelinesExecutions";
import { PATHS } from "../../kinds/pipelines";
import type { TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { Facts } from "../../../../parts/card/Card";
import { CopyButton } from "../../../../parts/text/Copy";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

/** What the store knows a task by: its ids, the key of its outputs in the cache, and whose outputs it took. */
export function TaskMetadata({ record }: { record: TaskRecord | undefined }) {
  const words = useWords().pipelines;
  if (record === undefined) return <p className={styles.quiet}>{words.task.waiting}</p>;
  const parts: [string, string][] = [
    [words.task.parentId, record.parent],
    [words.task.podName, record.pod],
    [words.task.cacheKey, record.fingerprint],
  ];
  return (
    <Facts
      rows={[
        [words.task.taskId, <Link key="id" to={PATHS.execution(record.id)}><code className={styles.value}>{record.id}</code></Link>],
        [words.task.name, record.name],
        ...parts.map(([label, text]): [string, React.ReactNode] => [label, text && <Copied key={label} text={text} />]),
        [words.task.cachedFrom, record.cachedFrom && <CachedFrom key="cached" id={record.cachedFrom} />],
      ]}
    />
  );
}

function Copied({ text }: { text: string }) {
  return (
    <span className={styles.copied}>
      <code className={styles.value}>{text}</code>
      <CopyButton text={text} />
    </span>
  );
}

/** The execution that really ran; its run may have been deleted since. */
function CachedFrom({ id }: { id: string }) {
  const words = useWords().pipelines.task;
  const { data, isError } = useExecution(id);
  if (isError) return <>{words.cachedGone}</>;
  return <Link to={PATHS.execution(id)}>{data === undefined ? id : words.ofRun(data.display_name || data.name || id, data.run_name ?? "")}</Link>;
}
