import { useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useWords } from "../../words";
import { StateShape, type State } from "../pill/Pill";
import { Sparkline } from "../plot/Sparkline";
import { bytesText, coresText } from "../plot/series";
import { ReplicaDetail } from "./ReplicaDetail";
import { groupByRole, neighbour } from "./cells";
import styles from "./ReplicaGrid.module.css";

export interface Replica {
  role: string;
  /** `worker-1`. */
  name: string;
  state: State;
  /** The exact word, such as the pod's phase. */
  word: string;
  node: string;
  restarts: number;
  exitCode: number | null;
  why: string | undefined;
  cpuCores: number | null;
  memoryBytes: number | null;
  /** Of the last minutes, the oldest first. */
  cpu: number[];
  memory: number[];
}

interface ReplicaGridProps {
  replicas: Replica[];
  onOpen: (name: string) => void;
}

/** Up to so many replicas are cards with their node and use; more are small squares with the details of the chosen one below. */
const CARDS_UP_TO = 24;

/** A cell a replica. Arrow keys go from cell to cell, Enter opens the logs. */
export function ReplicaGrid({ replicas, onOpen }: ReplicaGridProps) {
  const words = useWords().viewers.grid;
  const grid = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<string>();
  const roles = useMemo(() => groupByRole(replicas), [replicas]);
  const isDense = replicas.length > CARDS_UP_TO;
  const focused = replicas.find((replica) => replica.name === chosen) ?? replicas[0];
  const move = (event: KeyboardEvent) => {
    const cells = [...(grid.current?.querySelectorAll<HTMLElement>("button[data-cell]") ?? [])];
    const next = neighbour(cells.map((cell) => ({ left: cell.offsetLeft, top: cell.offsetTop })), cells.indexOf(document.activeElement as HTMLElement), event.key);
    if (next === undefined) return;
    event.preventDefault();
    cells[next]?.focus();
  };
  return (
    <div>
      <div ref={grid} className={styles.roles} role="group" aria-label={words.label} onKeyDown={move}>
        {roles.map(([role, members]) => (
          <section key={role} className={styles.role} aria-label={role}>
            <h3>
              {role} <span className={styles.total}>{members.length}</span>
            </h3>
            <div className={isDense ? styles.dense : styles.cards}>
              {members.map((replica) => (
                <button
                  key={replica.name}
                  type="button"
                  data-cell
                  tabIndex={replica.name === focused?.name ? 0 : -1}
                  className={[isDense ? styles.square : styles.card, styles[replica.state], isDense && replica.name === chosen && styles.chosen].filter(Boolean).join(" ")}
                  aria-label={isDense ? words.cell(replica.name, replica.word) : undefined}
                  title={isDense ? words.cell(replica.name, replica.word) : undefined}
                  onFocus={() => setChosen(replica.name)}
                  onClick={() => (isDense ? setChosen(replica.name) : onOpen(replica.name))}
                  onDoubleClick={() => onOpen(replica.name)}
                >
                  {isDense ? <StateShape state={replica.state} /> : <CardContent replica={replica} />}
                </button>
              ))}
            </div>
          </section>
        ))}
      </div>
      {isDense && <ReplicaDetail replica={replicas.find((replica) => replica.name === chosen)} onOpen={onOpen} />}
    </div>
  );
}

function CardContent({ replica }: { replica: Replica }) {
  const words = useWords().viewers.grid;
  return (
    <>
      <span className={styles.cardHead}>
        <StateShape state={replica.state} />
        <span className={styles.cardName}>{replica.name}</span>{" "}
        <span className={styles.word}>{replica.word}</span>
      </span>{" "}
      <span className={styles.where}>
        {replica.node === "" ? words.noNode : replica.node}
        {replica.restarts > 0 && ` · ${words.restarts(replica.restarts)}`}
        {replica.exitCode !== null && replica.exitCode !== 0 && ` · ${words.exit(replica.exitCode)}`}
      </span>
      {replica.why !== undefined && <span className={styles.why}>{replica.why}</span>}
      {(replica.cpuCores !== null || replica.memoryBytes !== null) && (
        <span className={styles.use}>
          <span>
            {words.cpu} {coresText(replica.cpuCores)} <Sparkline values={replica.cpu} width={44} />
          </span>
          <span>
            {bytesText(replica.memoryBytes)} <Sparkline values={replica.memory} width={44} />
          </span>
        </span>
      )}
    </>
  );
}
