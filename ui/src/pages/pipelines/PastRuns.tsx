import { useMemo } from "react";
import { useFullRuns, useRunsOfExperiment } from "../../api/pipelines";
import type { Run } from "../../kinds/pipelines";
import { runGrid } from "../../kinds/pipelinesTimeline";
import { Card } from "../../parts/card/Card";
import { Fold } from "../../parts/form/Fold";
import { useNow } from "../../parts/text/Time";
import { useWords } from "../../words";
import styles from "./Pipelines.module.css";
import { RunGrid } from "./RunGrid";

const SHOWN = 30;
const NO_RUNS: Run[] = [];

/** The last runs of the same pipeline in the same experiment, under the title of a run. */
export function PastRuns({ run }: { run: Run }) {
  const words = useWords().pipelines.grid;
  const all = useRunsOfExperiment(run.experiment_id ?? "").data ?? NO_RUNS;
  const pipeline = run.pipeline_version_reference?.pipeline_id;
  const alike = useMemo(() => (pipeline === undefined ? NO_RUNS : all.filter((one) => one.pipeline_version_reference?.pipeline_id === pipeline)), [all, pipeline]);
  if (alike.length < 2) return null;
  return (
    <Fold label={words.title(Math.min(SHOWN, alike.length))} open>
      <div className={styles.onGround}>
        <GridOf runs={alike} current={run.run_id} />
      </div>
    </Fold>
  );
}

/** The grid of the newest of some runs, in a card. */
export function RunGridCard({ runs }: { runs: Run[] }) {
  const words = useWords().pipelines.grid;
  if (runs.length === 0) return null;
  return (
    <Card title={words.title(Math.min(SHOWN, runs.length))}>
      <GridOf runs={runs} />
    </Card>
  );
}

/** Reads the tasks of the newest runs; a cell stays empty until its run has been read. */
function GridOf({ runs, current }: { runs: Run[]; current?: string }) {
  const newest = useMemo(() => runs.slice(0, SHOWN), [runs]);
  const full = useFullRuns(newest.map((run) => run.run_id));
  const now = useNow(undefined);
  const read = new Map(full.flatMap(({ data }) => (data === undefined ? [] : [[data.run_id, data] as const])));
  return <RunGrid data={runGrid(newest, read, now)} {...(current === undefined ? {} : { current })} />;
}
