import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, useNamespaces, useRefresh } from "../../api/pipelines";
import { useExecutions, type Executions } from "../../api/pipelinesExecutions";
import { useNamespace } from "../../../../api/namespace";
import { PATHS, WORKFLOWS, type Execution } from "../../kinds/pipelines";
import { nodePill, recordOf } from "../../kinds/graph/pipelinesTasks";
import { Button } from "../../../../parts/button/Button";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Page } from "../../../../parts/page/Page";
import { Pill } from "../../../../parts/pill/Pill";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Duration, Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import styles from "../Pipelines.module.css";
import { NewRunButton } from "../runs/RunList";
import { Sections } from "../Sections";

/** Tasks of all runs. */
export function ExecutionList() {
  const namespaces = useNamespaces();
  useRefresh(namespaces.length === 0 ? undefined : WORKFLOWS, { namespace: namespaces.length === 1 ? (namespaces[0] ?? "") : "" }, [...KEYS.executions, "list"]);
  return <ExecutionListView executions={useExecutions()} hasNamespace={useNamespace().forLists === ""} />;
}

export function ExecutionListView({ executions: { live, total, more, isReading }, hasNamespace }: { executions: Executions; hasNamespace: boolean }) {
  const words = useWords();
  const own = words.pipelines.executions;
  const columns = useMemo(() => columnsOf(words, hasNamespace), [words, hasNamespace]);
  return (
    <Page title={own.title} full>
      <Sections current="executions" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="play" sentence={own.empty} action={<NewRunButton />} />
          ) : (
            <>
              <DataTable label={own.title} rows={rows} columns={columns} idOf={(row) => row.task_id} facet="state" initialSort={{ column: "started", descending: false }} />
              {more !== undefined && (
                <p className={styles.moreRows}>
                  <span className={styles.quiet}>{total > rows.length ? own.shown(rows.length, total) : own.shownSome(rows.length)}</span>
                  <Button small label={own.more} busy={isReading} onPress={more} />
                </p>
              )}
            </>
          )
        }
      </Loaded>
    </Page>
  );
}

const startOf = (row: Execution): string | undefined => recordOf(row).started ?? recordOf(row).created;

function secondsOf(row: Execution): number | undefined {
  const { started, ended } = recordOf(row);
  return started === undefined ? undefined : ((ended === undefined ? Date.now() : Date.parse(ended)) - Date.parse(started)) / 1000;
}

function columnsOf({ pipelines, common }: Words, hasNamespace: boolean): Column<Execution>[] {
  const own = pipelines.executions;
  const state = (row: Execution) => recordOf(row).state;
  const namespace: Column<Execution> = { id: "namespace", header: common.namespace, value: (row) => row.namespace, hide: "wide" };
  return [
    { id: "state", header: common.state, value: (row) => pipelines.nodeStates[state(row)], cell: (row) => <Pill state={nodePill(state(row))} label={pipelines.nodeStates[state(row)]} /> },
    { id: "task", header: own.task, value: (row) => recordOf(row).label, cell: (row) => <Link to={PATHS.execution(row.task_id)}><Name text={recordOf(row).label || row.task_id} /></Link> },
    { id: "run", header: own.run, value: (row) => row.run_name, cell: (row) => <Link to={PATHS.run(row.run_id ?? "")}><Name text={row.run_name || (row.run_id ?? "")} /></Link>, hide: "medium" },
    { id: "pipeline", header: pipelines.pipeline, value: (row) => row.pipeline_name, cell: (row) => <PipelineLink execution={row} />, hide: "wide" },
    { id: "type", header: own.type, value: (row) => typeWord(row.type, own), hide: "medium" },
    ...(hasNamespace ? [namespace] : []),
    { id: "duration", header: pipelines.duration, value: secondsOf, cell: (row) => <ExecutionDuration execution={row} />, align: "right", hide: "medium" },
    { id: "started", header: pipelines.started, value: (row) => -Date.parse(startOf(row) ?? ""), cell: (row) => <Time at={startOf(row)} bare />, align: "right" },
  ];
}

/** The word for a type of the API; one that is not known as it is. */
export const typeWord = (type: string | undefined, words: Words["pipelines"]["executions"]): string => words.types[type ?? ""] ?? type ?? "";

/** Until now while it runs; nothing where it did not start, or where its end is not known. */
export function ExecutionDuration({ execution }: { execution: Execution }) {
  const { started, ended, state } = recordOf(execution);
  return started === undefined || (ended === undefined && state !== "running") ? "–" : <Duration from={started} to={ended} />;
}

export function PipelineLink({ execution }: { execution: Execution }) {
  if (!execution.pipeline_id) return <span className={styles.quiet}>{execution.pipeline_name || "–"}</span>;
  return (
    <Link to={PATHS.pipeline(execution.pipeline_id)} search={{ version: execution.pipeline_version_id }}>
      <Name text={execution.pipeline_name || execution.pipeline_id} />
    </Link>
  );
}
