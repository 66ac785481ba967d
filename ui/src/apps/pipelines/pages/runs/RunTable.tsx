import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useVersionsOf, type VersionsOfRuns } from "../../api/pipelines";
import { usePercentages } from "../../api/pipelinesMetrics";
import { MAX_COMPARED, PATHS, hasEnded, nameOf, pillState, runSeconds, stateOf, timeOf, type Experiment, type Run } from "../../kinds/pipelines";
import { metricNames } from "../../kinds/pipelinesMetrics";
import { metricText } from "../../kinds/pipelinesV1Metrics";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Pill } from "../../../../parts/pill/Pill";
import { ChooseRow } from "../../../../parts/table/ChooseRow";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Duration, Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import styles from "../Pipelines.module.css";
import { useRunActions } from "./useRunActions";

interface RunTableProps {
  rows: Run[];
  /** By id, for names and namespaces. */
  experiments: ReadonlyMap<string, Experiment>;
  /** Runs chosen for comparison; without it none can be chosen. */
  chosen?: ReadonlySet<string>;
  onChoose?: (id: string, isChosen: boolean) => void;
  /** Marks that distinguish runs of the same name, by id. */
  marks?: ReadonlyMap<string, string>;
  /** Left out on the page of one experiment. */
  hideExperiment?: boolean;
  /** Of a list inside a page: the name under which its state is in the URL. */
  inside?: string;
}

/** Runs of any list; what failed says why in its row. */
export function RunTable({ rows, experiments, chosen, onChoose, hideExperiment, inside, marks }: RunTableProps) {
  const words = useWords();
  const namespaces = useMemo(() => [...new Set(rows.flatMap((run) => experiments.get(run.experiment_id ?? "")?.namespace ?? []))], [rows, experiments]);
  const versions = useVersionsOf(rows, namespaces);
  const metrics = useMemo(() => metricNames(rows), [rows]);
  const percentages = usePercentages(rows, metrics);
  const columns = useMemo(
    () => columnsOf({ words, experiments, versions, chosen, onChoose, hideExperiment: hideExperiment ?? false, metrics, percentages, marks }),
    [words, experiments, versions, chosen, onChoose, hideExperiment, metrics, percentages, marks],
  );
  return (
    <DataTable
      label={words.pipelines.runs.title}
      rows={rows}
      columns={columns}
      idOf={(row) => row.run_id}
      facet="state"
      initialSort={{ column: "age", descending: false }}
      hasMenu
      actions={(row) => <RowActions run={row} namespace={experiments.get(row.experiment_id ?? "")?.namespace ?? ""} />}
      {...(inside === undefined ? {} : { inside })}
    />
  );
}

function RowActions({ run, namespace }: { run: Run; namespace: string }) {
  return <ActionMenu small actions={useRunActions(run, namespace)} label={`${useWords().common.more}: ${nameOf(run)}`} />;
}

interface ColumnContext {
  words: Words;
  experiments: ReadonlyMap<string, Experiment>;
  versions: VersionsOfRuns;
  chosen: ReadonlySet<string> | undefined;
  onChoose: ((id: string, isChosen: boolean) => void) | undefined;
  hideExperiment: boolean;
  metrics: string[];
  percentages: ReadonlySet<string>;
  marks: ReadonlyMap<string, string> | undefined;
}

function columnsOf({ words: { pipelines, common }, experiments, versions, chosen, onChoose, hideExperiment, metrics, percentages, marks }: ColumnContext): Column<Run>[] {
  const choose: Column<Run> = {
    id: "choose",
    header: pipelines.runs.compare,
    value: (run) => (chosen?.has(run.run_id) ? 0 : 1),
    cell: (run) => chosen && onChoose && <ChooseRow label={pipelines.runs.choose(nameOf(run))} id={run.run_id} chosen={chosen} onChoose={onChoose} limit={MAX_COMPARED} />,
    hide: "medium",
  };
  const experiment: Column<Run> = {
    id: "experiment",
    header: pipelines.experiment,
    value: (run) => experiments.get(run.experiment_id ?? "")?.display_name,
    cell: (run) => <ExperimentLink id={run.experiment_id ?? ""} experiment={experiments.get(run.experiment_id ?? "")} />,
    hide: "wide",
  };
  return [
    ...(chosen === undefined ? [] : [choose]),
    { id: "state", header: common.state, value: (run) => pipelines.runStates[stateOf(run)], cell: (run) => <Pill state={pillState(stateOf(run))} label={pipelines.runStates[stateOf(run)]} /> },
    { id: "name", header: common.name, value: nameOf, cell: (run) => <NameCell run={run} mark={marks?.get(run.run_id)} /> },
    { id: "duration", header: pipelines.duration, value: (run) => runSeconds(run, Date.now()), cell: (run) => <RunDuration run={run} />, align: "right", hide: "medium" },
    ...(hideExperiment ? [] : [experiment]),
    { id: "version", header: pipelines.version, value: (run) => versionName(run, versions, pipelines), cell: (run) => <VersionLink run={run} text={versionName(run, versions, pipelines)} isGone={versions.gone.has(run.pipeline_version_reference?.pipeline_version_id ?? "")} />, hide: "medium" },
    ...metrics.map((name) => metricColumn(name, percentages.has(name))),
    { id: "age", header: common.age, value: (run) => -Date.parse(run.created_at ?? ""), cell: (run) => <Time at={run.created_at} bare />, align: "right" },
  ];
}

const metricColumn = (name: string, isPercentage: boolean): Column<Run> => ({
  id: `metric-${name}`,
  header: name,
  value: (run) => run.metrics?.[name],
  cell: (run) => metricText(run.metrics?.[name], isPercentage),
  align: "right",
  hide: "wide",
});

const versionName = (run: Run, versions: VersionsOfRuns, words: Words["pipelines"]): string => {
  const id = run.pipeline_version_reference?.pipeline_version_id ?? "";
  const version = versions.byId.get(id);
  if (version !== undefined) return nameOf(version);
  return run.pipeline_version_reference === undefined ? words.runs.inline : versions.gone.has(id) ? words.runs.deletedVersion : "…";
};

/** Until now while it runs; of an ended run only where its end is known. */
function RunDuration({ run }: { run: Run }) {
  const end = timeOf(run.finished_at);
  return end === undefined && hasEnded(run) ? "–" : <Duration from={timeOf(run.created_at)} to={end} />;
}

function NameCell({ run, mark }: { run: Run; mark: string | undefined }) {
  return (
    <span className={styles.nameCell}>
      <Link to={PATHS.run(run.run_id)}>
        <Name text={nameOf(run)} />
      </Link>
      {mark !== undefined && <span className={styles.quiet}>{mark}</span>}
      {run.error?.message !== undefined && (
        <span className={styles.why} lang="en" title={run.error.message}>
          {run.error.message}
        </span>
      )}
    </span>
  );
}

function ExperimentLink({ id, experiment }: { id: string; experiment: Experiment | undefined }) {
  return id === "" ? "–" : <Link to={PATHS.experiment(id)}>{experiment?.display_name ?? "…"}</Link>;
}

function VersionLink({ run, text, isGone }: { run: Run; text: string; isGone: boolean }) {
  const reference = run.pipeline_version_reference;
  if (reference?.pipeline_id === undefined || isGone) return <span className={styles.quiet}>{text}</span>;
  return (
    <Link to={PATHS.pipeline(reference.pipeline_id)} search={{ version: reference.pipeline_version_id }}>
      {text}
    </Link>
  );
}
