import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { useExperiments, useRuns } from "../../api/pipelines";
import type { Live } from "../../../../api/hooks";
import { useNamespace } from "../../../../api/namespace";
import { PATHS, nameOf, pillState, stateOf, timeOf, type Experiment, type Run } from "../../kinds/pipelines";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page } from "../../../../parts/page/Page";
import { StateShape } from "../../../../parts/pill/Pill";
import { DataTable } from "../../../../parts/table/DataTable";
import type { Column } from "../../../../parts/table/columns";
import { Name } from "../../../../parts/text/Name";
import { Time } from "../../../../parts/text/Time";
import { useWords, type Words } from "../../../../words";
import { ArchiveSwitch, useStorageState } from "../ArchiveSwitch";
import { NewExperiment } from "./NewExperiment";
import styles from "../Pipelines.module.css";
import { Sections } from "../Sections";
import { useExperimentActions } from "./useExperimentActions";

const DOTS = 5;
const NO_RUNS: Run[] = [];
const TONES = { running: "running", succeeded: "succeeded", waiting: "pending", failed: "failed", stopped: "skipped", unknown: "none" } as const;

/** Experiments: groups of runs. */
export function ExperimentList() {
  const state = useStorageState();
  return <ExperimentListView live={useExperiments(state)} runs={useRuns(state).data ?? NO_RUNS} isArchive={state === "ARCHIVED"} hasNamespace={useNamespace().forLists === ""} />;
}

interface ExperimentListViewProps {
  live: Live<Experiment[]>;
  /** The newest first; for the last ones of each. */
  runs: Run[];
  isArchive: boolean;
  hasNamespace: boolean;
}

export function ExperimentListView({ live, runs, isArchive, hasNamespace }: ExperimentListViewProps) {
  const words = useWords();
  const own = words.pipelines.experiments;
  const byExperiment = useMemo(() => runsByExperiment(runs), [runs]);
  const columns = useMemo(() => columnsOf(words, byExperiment, hasNamespace), [words, byExperiment, hasNamespace]);
  return (
    <Page title={own.title} full actions={<><ArchiveSwitch /><NewExperiment /></>}>
      <Sections current="experiments" />
      <Loaded live={live}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="experiment" sentence={isArchive ? own.emptyArchive : own.empty} {...(isArchive ? {} : { action: <NewExperiment />, command: "kfp experiment create my-experiment" })} />
          ) : (
            <DataTable
              label={own.title}
              rows={rows}
              columns={columns}
              idOf={(row) => row.experiment_id}
              initialSort={{ column: "last", descending: false }}
              hasMenu
              actions={(row) => <RowActions experiment={row} />}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function runsByExperiment(runs: Run[]): Map<string, Run[]> {
  const found = new Map<string, Run[]>();
  for (const run of runs) {
    const known = found.get(run.experiment_id ?? "");
    if (known === undefined) found.set(run.experiment_id ?? "", [run]);
    else known.push(run);
  }
  return found;
}

function columnsOf({ pipelines, common }: Words, runs: Map<string, Run[]>, hasNamespace: boolean): Column<Experiment>[] {
  const namespace: Column<Experiment> = { id: "namespace", header: common.namespace, value: (row) => row.namespace, hide: "medium" };
  return [
    { id: "name", header: common.name, value: nameOf, cell: (row) => <ExperimentLink experiment={row} /> },
    ...(hasNamespace ? [namespace] : []),
    { id: "runs", header: pipelines.experiments.lastRuns, value: () => undefined, cell: (row) => <LastRuns runs={runs.get(row.experiment_id) ?? []} /> },
    { id: "description", header: pipelines.description, value: (row) => row.description, hide: "wide" },
    { id: "last", header: pipelines.experiments.lastRun, value: (row) => -Date.parse(timeOf(row.last_run_created_at) ?? row.created_at ?? ""), cell: (row) => <Time at={timeOf(row.last_run_created_at)} />, align: "right" },
    { id: "created", header: common.age, value: (row) => -Date.parse(row.created_at ?? ""), cell: (row) => <Time at={row.created_at} bare />, align: "right", hide: "medium" },
  ];
}

function ExperimentLink({ experiment }: { experiment: Experiment }) {
  return (
    <Link to={PATHS.experiment(experiment.experiment_id)}>
      <Name text={nameOf(experiment)} />
    </Link>
  );
}

/** The newest runs as shapes, the newest at the right. */
function LastRuns({ runs }: { runs: Run[] }) {
  const words = useWords().pipelines.runStates;
  if (runs.length === 0) return "–";
  return (
    <span className={styles.dots}>
      {runs
        .slice(0, DOTS)
        .reverse()
        .map((run) => {
          const state = pillState(stateOf(run));
          const label = `${nameOf(run)}: ${words[stateOf(run)]}`;
          return (
            <Link key={run.run_id} to={PATHS.run(run.run_id)} className={[styles.dot, styles[TONES[state]]].join(" ")} aria-label={label} title={label}>
              <StateShape state={state} />
            </Link>
          );
        })}
    </span>
  );
}

function RowActions({ experiment }: { experiment: Experiment }) {
  return <ActionMenu small actions={useExperimentActions(experiment)} label={`${useWords().common.more}: ${nameOf(experiment)}`} />;
}
