import { useWords } from "../../words";
import styles from "./Pill.module.css";

/** The six states that anything of the platform can be in. */
export type State = "running" | "succeeded" | "waiting" | "failed" | "stopped" | "unknown";

/** A shape for each state, so that no one has to rely on the colour. */
const SHAPES: Record<State, string> = {
  running: "M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8z",
  succeeded: "M1.500 5.500 4 8l4.500-6",
  waiting: "M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8zM5 3v2.200l1.500 1",
  failed: "M2 2l6 6M8 2 2 8",
  stopped: "M2 2h6v6H2z",
  unknown: "M3.500 3.500a1.500 1.500 0 1 1 2 1.400c-.4.200-.5.5-.5 1M5 8h.01",
};

export function StateShape({ state }: { state: State }) {
  const filled = state === "running" || state === "stopped";
  return (
    <svg width="10" height="10" viewBox="0 0 10 10" aria-hidden="true" focusable="false">
      <path
        d={SHAPES[state]}
        fill={filled ? "currentColor" : "none"}
        stroke="currentColor"
        strokeWidth={filled ? 0 : 1.6}
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}

/** A state as shape, word and colour. The word is the state's own unless a more exact one is known. */
export function Pill({ state, label }: { state: State; label?: string | undefined }) {
  const words = useWords();
  return (
    <span className={`${styles.pill ?? ""} ${styles[state] ?? ""}`} data-state={state}>
      <StateShape state={state} />
      {label ?? words.common.states[state]}
    </span>
  );
}
