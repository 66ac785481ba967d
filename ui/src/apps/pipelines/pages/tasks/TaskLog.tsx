import { useLocation } from "@tanstack/react-router";
import { useEffect, useMemo, useState } from "react";
import { useLogs, type LogSource } from "../../../../api/logs";
import type { TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { Segments } from "../../../../parts/field/Segments";
import { LogView } from "../../../../parts/logs/LogView";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";
import type { TaskSource } from "./taskSource";

/** The log of a task, followed while it runs; of each attempt. */
export function TaskLog({ source, record, namespace }: { source: TaskSource; record: TaskRecord | undefined; namespace: string }) {
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
      <PodLogView key={pod} source={source} pod={pod} namespace={namespace} label={record?.label ?? pod} isRunning={record?.state === "running" && pod === record.pod} />
    </div>
  );
}

const READ_AGAIN_MS = 1000;

interface PodLogViewProps {
  source: TaskSource;
  pod: string;
  namespace: string;
  label: string;
  isRunning: boolean;
}

function PodLogView({ source, pod, namespace, label, isRunning }: PodLogViewProps) {
  const hash = useLocation({ select: (location) => location.hash });
  const [attempt, setAttempt] = useState(0);
  const sources = useMemo<LogSource[]>(() => [{ id: label, namespace, pod, container: "main", uid: `${pod}/${attempt}`, ...source.logOf(pod) }], [label, namespace, pod, source, attempt]);
  const streams = useLogs(sources, false);
  const phase = streams[0]?.phase;
  // A task runs before its container has a log, and a gateway may restart: the end of the log is not yet the end of the task.
  const isCut = isRunning && (phase === "error" || phase === "ended");
  useEffect(() => {
    if (!isCut) return;
    const timer = setTimeout(() => setAttempt((before) => before + 1), READ_AGAIN_MS);
    return () => clearTimeout(timer);
  }, [isCut, attempt]);
  return (
    <div className={styles.log}>
      <LogView streams={streams} anchor={hash} fileName={pod} />
    </div>
  );
}
