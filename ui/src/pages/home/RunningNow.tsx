import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { HomeView } from "../../kinds/generated";
import { phaseState } from "../../kinds/states";
import { JOB_STATES, jobPath } from "../../apps/training/kinds/jobStates";
import { Card } from "../../parts/card/Card";
import { ExternalButton } from "../../parts/button/ButtonLink";
import { Pill, type State } from "../../parts/pill/Pill";
import { Name } from "../../parts/text/Name";
import { useWords } from "../../words";
import styles from "./Home.module.css";

interface Line {
  key: string;
  to: string;
  name: string;
  detail: string;
  state: State;
  label?: string;
  connect?: string;
}

/** Jobs, notebooks and TensorBoards that run or are about to. */
export function RunningNow({ home }: { home: HomeView }) {
  const words = useWords();
  const lines: Line[] = [
    ...home.jobs.map((job) => ({
      key: job.uid,
      to: jobPath(job),
      name: job.name,
      detail: `${job.kind} · ${words.home.replicas(job.ready, job.total)}`,
      state: JOB_STATES[job.state],
    })),
    ...home.notebooks.map((notebook) => ({
      key: notebook.uid,
      to: `/jupyter/notebook/details/${notebook.namespace}/${notebook.name}`,
      name: notebook.name,
      detail: `Notebook · ${notebook.shortImage}`,
      state: phaseState(notebook.status.phase),
      ...(notebook.status.phase === "ready" ? { connect: notebook.link } : {}),
    })),
    ...home.tensorboards.map((board) => ({
      key: board.uid,
      to: `/tensorboards/details/${board.namespace}/${board.name}`,
      name: board.name,
      detail: `TensorBoard · ${board.logspath}`,
      state: phaseState(board.status.phase),
      ...(board.status.phase === "ready" ? { connect: board.link } : {}),
    })),
  ];
  return (
    <Card title={words.home.running} flush>
      {lines.length === 0 ? (
        <p className={styles.note}>{words.home.nothingRuns}</p>
      ) : (
        <div className={styles.list}>{lines.map((line) => row(line, words.common.connect))}</div>
      )}
    </Card>
  );
}

function row({ key, to, name, detail, state, connect }: Line, connectLabel: string): ReactNode {
  return (
    <div key={key} className={styles.item}>
      <div className={styles.main}>
        <Link to={to} className={styles.name}>
          <Name text={name} />
        </Link>
        <div className={styles.quiet}>{detail}</div>
      </div>
      {connect !== undefined && <ExternalButton href={connect} label={connectLabel} look="secondary" small />}
      <Pill state={state} />
    </div>
  );
}
