import { useLocation } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useLogs, type LogSource } from "../../api/logs";
import { taskLogPath } from "../../api/pipelines";
import type { TaskRecord } from "../../kinds/pipelinesTasks";
import { Segments } from "../../parts/field/Segments";
import { LogView } from "../../parts/logs/LogView";
import { useWords } from "../../words";
import styles from "./Pipelines.module.css";

/** The log of a task, followed while it runs; of each attempt. */
export function TaskLog({ runId, record, namespace }: { runId: string; record: TaskRecord | undefined; namespace: string }) {
  const words = useWords().pipelines.task;
  const pods = useMemo(() => (record === undefined ? [] : [...record.failedPods, record.pod].filter((pod) => pod !== "")), [record]);
  const [chosen, setChosen] = useState<string>();
  const pod = chosen !== undefined && pods.includes(chosen) ? chosen : pods.at(-1);
  if (pod === undefined) return <p className={styles.quiet}>{record === undefined || record.state === "pending" ? words.waiting : words.noLog}</p>;
  return (
    <div className={styles.group}>
      {pods.length > 1 && (
        <Segments label={words.attempts} value={pod} onChange={setChosen} options={pods.map((value, index) => ({ value, label: words.attempt(index + 1) }))} />
      )}
      <PodLogView key={pod} runId={runId} pod={pod} namespace={namespace} label={record?.label ?? pod} />
    </div>
  );
}

function PodLogView({ runId, pod, namespace, label }: { runId: string; pod: string; namespace: string; label: string }) {
  const hash = useLocation({ select: (location) => location.hash });
  const sources = useMemo<LogSource[]>(() => [{ id: label, namespace, pod, container: "main", uid: pod, path: taskLogPath(runId, pod) }], [label, namespace, pod, runId]);
  const streams = useLogs(sources, false);
  return (
    <div className={styles.log}>
      <LogView streams={streams} anchor={hash} fileName={pod} />
    </div>
  );
}
