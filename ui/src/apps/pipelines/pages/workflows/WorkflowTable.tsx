import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { WORKFLOW_PATHS, isOver, progressShare, sourceOf, workflowPill, workflowSeconds, workflowState, type WorkflowRow } from "../../kinds/workflows/workflows";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Pill } from "../../../../parts/pill/Pill";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Duration, Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import styles from "../Pipelines.module.css";
import { SourceLink } from "./SourceLink";
import { useWorkflowActions } from "./useWorkflowActions";

interface WorkflowTableProps {
  rows: WorkflowRow[];
  /** Where Workflows of all namespaces are listed. */
  hasNamespace?: boolean;
  /** Left out where all are of one schedule. */
  hideSource?: boolean;
  /** Of a list inside a page: the name under which its state is in the URL. */
  inside?: string;
}

/** Workflows of any list; what failed says why in its row. */
export function WorkflowTable({ rows, hasNamespace = false, hideSource = false, inside }: WorkflowTableProps) {
  const words = useWords();
  const columns = useMemo(() => columnsOf(words, hasNamespace, hideSource), [words, hasNamespace, hideSource]);
  return (
    <DataTable
      label={words.workflows.title}
      rows={rows}
      columns={columns}
      idOf={(row) => row.uid}
      facet="state"
      initialSort={{ column: "age", descending: false }}
      hasMenu
      actions={(row) => <RowActions row={row} />}
      {...(inside === undefined ? {} : { inside })}
    />
  );
}

function RowActions({ row }: { row: WorkflowRow }) {
  return <ActionMenu small actions={useWorkflowActions(row)} label={`${useWords().common.more}: ${row.name}`} />;
}

function columnsOf({ workflows, pipelines, common }: Words, hasNamespace: boolean, hideSource: boolean): Column<WorkflowRow>[] {
  const namespace: Column<WorkflowRow> = { id: "namespace", header: common.namespace, value: (row) => row.namespace, hide: "medium" };
  const source: Column<WorkflowRow> = { id: "source", header: workflows.source, value: (row) => sourceOf(row.labels)?.name, cell: (row) => <SourceLink namespace={row.namespace} source={sourceOf(row.labels)} />, hide: "wide" };
  const state = (row: WorkflowRow) => workflows.states[workflowState(row)];
  return [
    { id: "state", header: common.state, value: state, cell: (row) => <Pill state={workflowPill(workflowState(row))} label={state(row)} /> },
    { id: "name", header: common.name, value: (row) => row.name, cell: (row) => <NameCell row={row} /> },
    ...(hasNamespace ? [namespace] : []),
    { id: "progress", header: workflows.progress, value: (row) => progressShare(row.progress), cell: (row) => <Progress text={row.progress} />, align: "right", hide: "medium" },
    { id: "duration", header: pipelines.duration, value: (row) => workflowSeconds(row, Date.now()), cell: (row) => (isOver(workflowState(row)) && row.finished === undefined ? "–" : <Duration from={row.started} to={row.finished} />), align: "right", hide: "medium" },
    ...(hideSource ? [] : [source]),
    { id: "age", header: common.age, value: (row) => -Date.parse(row.created ?? ""), cell: (row) => <Time at={row.created} bare />, align: "right" },
  ];
}

function Progress({ text }: { text: string }) {
  const words = useWords().workflows;
  const [done = "", all = ""] = text.split("/");
  return all === "" || all === "0" ? <span>–</span> : <span title={words.progressText(done, all)}>{text}</span>;
}

function NameCell({ row }: { row: WorkflowRow }) {
  return (
    <span className={styles.nameCell}>
      <Link to={WORKFLOW_PATHS.workflow(row)}>
        <Name text={row.name} />
      </Link>
      {row.message !== "" && (
        <span className={styles.why} lang="en" title={row.message}>
          {row.message}
        </span>
      )}
    </span>
  );
}
