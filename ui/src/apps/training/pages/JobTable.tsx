import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { CoursesContext, useCourse, useCourses } from "../api/courses";
import type { JobRow } from "../../../kinds/generated";
import { kindLabel } from "../kinds/jobs";
import { MAX_COMPARED_JOBS, jobId } from "../kinds/jobsCompare";
import { JOB_STATES, jobPath } from "../kinds/jobStates";
import { ActionMenu, type Action } from "../../../parts/overlay/ActionMenu";
import { Pill } from "../../../parts/pill/Pill";
import { Sparkline } from "../../../parts/plot/Sparkline";
import { compactNumber } from "../../../parts/plot/series";
import { ChooseRow } from "../../../parts/table/ChooseRow";
import { DataTable } from "../../../parts/table/DataTable";
import type { Column } from "../../../parts/table/columns";
import { Name } from "../../../parts/text/Name";
import { Duration, Time } from "../../../parts/text/Time";
import { useWords, type Words } from "../../../words";
import styles from "./Jobs.module.css";
import { useJobActions } from "./useJobActions";

interface JobTableProps {
  rows: JobRow[];
  hasNamespace: boolean;
  /** Jobs chosen for comparison. */
  chosen?: Chosen;
}

interface Chosen {
  ids: ReadonlySet<string>;
  onChoose: (id: string, isChosen: boolean) => void;
}

/** The list itself; what is not well says why in its row. */
export function JobTable({ rows, hasNamespace, chosen }: JobTableProps) {
  const words = useWords();
  const { ids, onChoose } = chosen ?? {};
  const columns = useMemo(
    () => [...columnsOf(words, hasNamespace), ...(ids === undefined || onChoose === undefined ? [] : [compareColumn(words, { ids, onChoose })])],
    [words, hasNamespace, ids, onChoose],
  );
  const courses = useCourses();
  return (
    <CoursesContext value={courses}>
      <DataTable
        label={words.jobs.title}
        rows={rows}
        columns={columns}
        idOf={(row) => row.uid}
        facet="state"
        initialSort={{ column: "age", descending: false }}
        actions={(row) => <RowActions row={row} chosen={chosen} />}
      />
    </CoursesContext>
  );
}

function RowActions({ row, chosen }: { row: JobRow; chosen: Chosen | undefined }) {
  const words = useWords();
  const actions = useJobActions(row);
  return <ActionMenu small actions={chosen === undefined ? actions : [...actions, compareAction(row, chosen, words.jobs.compare)]} label={`${words.common.more}: ${row.name}`} />;
}

/** The same as the box of the row, for windows that are too narrow for it. */
function compareAction(row: JobRow, { ids, onChoose }: Chosen, words: Words["jobs"]["compare"]): Action {
  const id = jobId(row);
  const isChosen = ids.has(id);
  return {
    id: "compare",
    icon: "compare",
    label: isChosen ? words.leaveOut(row.name) : words.choose(row.name),
    disabledReason: !isChosen && ids.size >= MAX_COMPARED_JOBS ? words.hint(MAX_COMPARED_JOBS) : undefined,
    onAction: () => onChoose(id, !isChosen),
  };
}

function columnsOf({ jobs, common }: Words, hasNamespace: boolean): Column<JobRow>[] {
  const namespace: Column<JobRow> = { id: "namespace", header: common.namespace, value: (row) => row.namespace, hide: "medium" };
  const gangWord = (row: JobRow) => (row.gang === null ? "" : (jobs.phases[row.gang.phase] ?? row.gang.phase));
  return [
    {
      id: "state",
      header: common.state,
      value: (row) => row.state,
      word: (row) => jobs.states[row.state],
      cell: (row) => <Pill state={JOB_STATES[row.state]} label={jobs.states[row.state]} />,
    },
    { id: "name", header: common.name, value: (row) => row.name, cell: (row) => <NameCell row={row} /> },
    ...(hasNamespace ? [namespace] : []),
    { id: "kind", header: common.kind, value: (row) => row.kind, cell: (row) => kindLabel(row), hide: "medium" },
    { id: "replicas", header: jobs.replicas, value: (row) => row.ready, cell: (row) => <Replicas row={row} />, align: "right", hide: "medium" },
    { id: "gang", header: jobs.gang, value: (row) => row.gang?.phase, word: gangWord, cell: (row) => gangWord(row) || "–", hide: "wide" },
    { id: "queue", header: jobs.queue, value: (row) => (row.queue === "" ? undefined : row.queue), cell: (row) => <Queue name={row.queue} />, hide: "wide" },
    { id: "metric", header: jobs.metric, value: (row) => row.metric?.value, cell: (row) => <Metric row={row} />, hide: "wide" },
    { id: "age", header: common.age, value: (row) => -Date.parse(row.created), cell: (row) => <Time at={row.created} bare />, align: "right" },
    { id: "duration", header: jobs.duration, value: (row) => row.durationSeconds ?? undefined, cell: (row) => <Duration from={row.started} to={row.ended} />, align: "right", hide: "medium" },
  ];
}

const compareColumn = ({ jobs }: Words, { ids, onChoose }: Chosen): Column<JobRow> => ({
  id: "compare",
  header: jobs.compare.button,
  value: (row) => (ids.has(jobId(row)) ? 0 : 1),
  cell: (row) => <ChooseRow label={jobs.compare.choose(row.name)} id={jobId(row)} chosen={ids} onChoose={onChoose} limit={MAX_COMPARED_JOBS} />,
  hide: "medium",
});

function NameCell({ row }: { row: JobRow }) {
  const words = useWords().reasons;
  return (
    <span className={styles.nameCell}>
      <Link to={jobPath(row)}>
        <Name text={row.name} />
      </Link>
      {row.why && (
        <span className={styles.why} title={words.why(row.why)}>
          {words.why(row.why)}
        </span>
      )}
    </span>
  );
}

function Replicas({ row }: { row: JobRow }) {
  return (
    <span title={row.roles.map((role) => `${role.role} ${role.ready}/${role.total}`).join(", ")}>
      {row.ready}/{row.total}
    </span>
  );
}

function Queue({ name }: { name: string }) {
  return name === "" ? "–" : <Link to={`/queues/${name}`}>{name}</Link>;
}

/** The newest value and its course; asked for only of jobs that run, or of which the server knows a value. */
function Metric({ row }: { row: JobRow }) {
  return row.state === "Running" || row.metric !== null ? <Course row={row} /> : "–";
}

function Course({ row }: { row: JobRow }) {
  const course = useCourse(row);
  const last = course?.values.at(-1) ?? row.metric?.value;
  if (last === undefined) return "–";
  const name = course?.metric || (row.metric?.name ?? "");
  return (
    <span className={styles.metric}>
      {name} {compactNumber(last)} {course !== undefined && course.values.length > 1 && <Sparkline values={course.values} label={name} />}
    </span>
  );
}
