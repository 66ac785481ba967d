import { Link } from "@tanstack/react-router";
import { Fragment, useLayoutEffect, useRef } from "react";
import { PATHS, pillState } from "../../kinds/pipelines";
import { nodePill } from "../../kinds/graph/pipelinesTasks";
import type { GridColumn, RunGridData } from "../../kinds/graph/pipelinesTimeline";
import { StateShape } from "../../../../parts/pill/Pill";
import { duration } from "../../../../parts/text/times";
import { useSpeech } from "../../../../words";
import styles from "../Pipelines.module.css";

const BAR_PX = 36;
const MIN_BAR_PX = 4;
const TONES = { running: "running", succeeded: "succeeded", waiting: "pending", failed: "failed", stopped: "skipped", unknown: "none" } as const;

/** Runs × tasks: a column a run with a bar for how long it took, a cell for each task. */
export function RunGrid({ data, current }: { data: RunGridData; current?: string }) {
  const { words, language } = useSpeech();
  const own = words.pipelines;
  // A run that hangs must not make all others small.
  const longest = Math.max(1, ...data.columns.filter((column) => column.state === "SUCCEEDED" || column.state === "FAILED").map((column) => column.seconds ?? 0));
  const runLabel = (column: GridColumn): string =>
    [column.label, own.runStates[column.state], column.seconds === undefined ? "" : duration(column.seconds, language)].filter(Boolean).join(", ");
  const scroller = useRef<HTMLDivElement>(null);
  // The newest runs are the last: on a narrow window they are those to see first.
  useLayoutEffect(() => {
    if (scroller.current !== null) scroller.current.scrollLeft = scroller.current.scrollWidth;
  }, [data.columns.length]);
  return (
    <div ref={scroller} className={styles.gridScroller} tabIndex={0} role="group" aria-label={own.grid.title(data.columns.length)}>
      <div className={styles.grid} style={{ gridTemplateColumns: `max-content repeat(${data.columns.length}, 18px)` }}>
        <span className={[styles.gridName, styles.gridHead].join(" ")}>{own.duration}</span>
        {data.columns.map((column) => (
          <Link
            key={column.id}
            to={PATHS.run(column.id)}
            className={[styles.gridRun, styles[TONES[pillState(column.state)]]].join(" ")}
            aria-current={column.id === current ? "page" : undefined}
            aria-label={runLabel(column)}
            title={runLabel(column)}
          >
            <span style={{ height: Math.max(MIN_BAR_PX, Math.min(1, (column.seconds ?? 0) / longest) * BAR_PX) }} />
          </Link>
        ))}
        {data.tasks.map((task) => (
          <Fragment key={task.key}>
            <span className={styles.gridName} title={task.label}>
              {task.label}
            </span>
            {data.columns.map((column) => (
              <Cell key={column.id} column={column} task={task} />
            ))}
          </Fragment>
        ))}
      </div>
    </div>
  );
}

function Cell({ column, task }: { column: GridColumn; task: { key: string; label: string } }) {
  const { words } = useSpeech();
  const own = words.pipelines;
  const state = column.cells?.[task.key];
  if (state === undefined) return <span className={styles.gridEmpty} />;
  const label = own.grid.cell(task.label, column.label, own.nodeStates[state]);
  return (
    <Link to={PATHS.run(column.id)} search={{ node: `root.${task.key}` }} className={[styles.gridCell, styles[state]].join(" ")} aria-label={label} title={label}>
      <StateShape state={nodePill(state)} />
    </Link>
  );
}
