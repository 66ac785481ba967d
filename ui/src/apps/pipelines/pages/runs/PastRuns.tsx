import { useMemo, useState } from "react";
import { useFullRuns, usePipelines, useRunsOfExperiment } from "../../api/pipelines";
import { nameOf, type Run } from "../../kinds/pipelines";
import { runGrid, runsAround, runsByPipeline, type RunGroup } from "../../kinds/graph/pipelinesTimeline";
import { Card } from "../../../../parts/card/Card";
import { Button } from "../../../../parts/button/Button";
import { Choice } from "../../../../parts/field/Choice";
import { useNow } from "../../../../parts/text/Time";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";
import { RunGrid } from "./RunGrid";

const SHOWN = 30;
const NO_RUNS: Run[] = [];

/** The runs of the same pipeline in the same experiment, under the title of a run: how long each took, and on demand each of their tasks. */
export function PastRuns({ run }: { run: Run }) {
  const words = useWords().pipelines.grid;
  const all = useRunsOfExperiment(run.experiment_id ?? "").data ?? NO_RUNS;
  const pipeline = run.pipeline_version_reference?.pipeline_id;
  const alike = useMemo(() => (pipeline === undefined ? NO_RUNS : all.filter((one) => one.pipeline_version_reference?.pipeline_id === pipeline)), [all, pipeline]);
  const [hasTasks, setTasks] = useState(false);
  const shown = useMemo(() => runsAround(alike, run.run_id, SHOWN), [alike, run.run_id]);
  if (alike.length < 2) return null;
  return (
    <section className={styles.past} aria-label={words.around(shown.length)}>
      <div className={styles.onGround}>{hasTasks ? <GridOf runs={shown} current={run.run_id} /> : <RunStrip runs={shown} current={run.run_id} />}</div>
      <Button small look="quiet" icon={hasTasks ? "up" : "down"} label={hasTasks ? words.hideTasks : words.showTasks} onPress={() => setTasks(!hasTasks)} />
    </section>
  );
}

/** The grid of the newest runs of one pipeline, in a card; others are chosen. */
export function RunGridCard({ runs }: { runs: Run[] }) {
  const words = useWords().pipelines.grid;
  const groups = useMemo(() => runsByPipeline(runs), [runs]);
  const [chosen, setChosen] = useState<string>();
  const names = usePipelines().data;
  const group = groups.find((one) => one.key === chosen) ?? groups[0];
  if (group === undefined) return null;
  const newest = group.runs.slice(0, SHOWN);
  const nameOfGroup = ({ key, name, isInline }: RunGroup) => (isInline ? (name ?? words.fromFiles) : nameOf(names?.find((one) => one.pipeline_id === key) ?? { display_name: key }));
  const options = groups.map((one) => ({ value: one.key, label: `${nameOfGroup(one)} (${one.runs.length})` }));
  const choice = groups.length > 1 && <Choice label={words.pipeline} hideLabel options={options} value={group.key} onChange={setChosen} />;
  return (
    <Card title={words.title(newest.length)} aside={choice}>
      <GridOf runs={newest} />
    </Card>
  );
}

interface GridProps {
  runs: Run[];
  current?: string;
}

/** Without tasks nothing more has to be read of the runs. */
function RunStrip({ runs, current }: GridProps) {
  return <RunGrid data={runGrid(runs, NOT_READ, useNow(undefined))} {...(current === undefined ? {} : { current })} />;
}

const NOT_READ: ReadonlyMap<string, Run> = new Map();

/** Reads the tasks of the runs; a cell stays empty until its run has been read. */
function GridOf({ runs, current }: GridProps) {
  const full = useFullRuns(runs.map((run) => run.run_id));
  const now = useNow(undefined);
  const read = new Map(full.flatMap(({ data }) => (data === undefined ? [] : [[data.run_id, data] as const])));
  return <RunGrid data={runGrid(runs, read, now)} {...(current === undefined ? {} : { current })} />;
}
