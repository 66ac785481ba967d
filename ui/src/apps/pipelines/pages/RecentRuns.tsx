import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { messageOf } from "../../../api/errors";
import { useRecentPipelines, useRecentRuns } from "../api/pipelinesRecent";
import { PATHS, nameOf, pillState, stateOf, timeOf, type Run } from "../kinds/pipelines";
import { Card } from "../../../parts/card/Card";
import { Icon } from "../../../parts/Icon";
import { Pill } from "../../../parts/pill/Pill";
import { Name } from "../../../parts/text/Name";
import { Duration, Time } from "../../../parts/text/Time";
import { useWords } from "../../../words";
import styles from "../../../pages/home/Home.module.css";

const SHOWN = 5;

/** The newest runs of pipelines, each with its state. */
export function RecentRuns() {
  const words = useWords().pipelines.home;
  const { data, error } = useRecentRuns(SHOWN);
  return (
    <Recent title={words.recentRuns} all={PATHS.runs} empty={words.noRuns} items={data} error={error}>
      {(runs) => runs.map((run) => <RunLine key={run.run_id} run={run} />)}
    </Recent>
  );
}

function RunLine({ run }: { run: Run }) {
  const words = useWords().pipelines;
  const state = stateOf(run);
  return (
    <Link to={PATHS.run(run.run_id)} className={styles.item}>
      <div className={styles.main}>
        <span className={styles.name}>
          <Name text={nameOf(run)} />
        </span>
        <div className={styles.quiet}>
          <Time at={timeOf(run.created_at)} /> · <Duration from={timeOf(run.created_at) ?? null} to={timeOf(run.finished_at) ?? null} />
        </div>
      </div>
      <Pill state={pillState(state)} label={words.runStates[state]} />
    </Link>
  );
}

/** The newest pipelines. */
export function RecentPipelines() {
  const words = useWords().pipelines.home;
  const { data, error } = useRecentPipelines(SHOWN);
  return (
    <Recent title={words.recentPipelines} all={PATHS.pipelines} empty={words.noPipelines} items={data} error={error}>
      {(pipelines) =>
        pipelines.map((pipeline) => (
          <Link key={pipeline.pipeline_id} to={PATHS.pipeline(pipeline.pipeline_id)} className={styles.item}>
            <Icon name="pipeline" />
            <div className={styles.main}>
              <Name text={nameOf(pipeline)} />
              <div className={styles.quiet}>
                <Time at={timeOf(pipeline.created_at)} />
              </div>
            </div>
          </Link>
        ))
      }
    </Recent>
  );
}

interface RecentProps<T> {
  title: string;
  /** The page with all of them. */
  all: string;
  empty: string;
  items: T[] | undefined;
  error: Error | null;
  children: (items: T[]) => ReactNode;
}

/** A card that appears when something is known: an answer, or why there is none. */
function Recent<T>({ title, all, empty, items, error, children }: RecentProps<T>) {
  const words = useWords().common;
  if (items === undefined && error === null) return null;
  return (
    <Card title={title} flush aside={<Link to={all}>{words.all}</Link>}>
      {items === undefined || items.length === 0 ? <p className={styles.note}>{error === null ? empty : messageOf(error)}</p> : <div className={styles.list}>{children(items)}</div>}
    </Card>
  );
}
