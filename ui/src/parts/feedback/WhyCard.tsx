import type { ReactNode } from "react";
import { Icon, type IconName } from "../Icon";
import type { State } from "../pill/Pill";
import styles from "./feedback.module.css";

const ICONS: Record<State, IconName> = {
  running: "info",
  succeeded: "info",
  waiting: "clock",
  failed: "error",
  stopped: "info",
  unknown: "info",
};

interface WhyCardProps {
  state: State;
  /** The reason in one sentence, in the words of `windlass explain`. */
  sentence: string;
  /** What it waits for, with numbers; what to do. */
  detail?: ReactNode;
  /** The action that helps. */
  action?: ReactNode;
}

/** The first thing under the title of whatever is not well. */
export function WhyCard({ state, sentence, detail, action }: WhyCardProps) {
  return (
    <div className={`${styles.why ?? ""} ${styles[state] ?? ""}`} role={state === "failed" ? "alert" : "status"}>
      <Icon name={ICONS[state]} />
      <div className={styles.whyText}>
        <p className={styles.sentence}>{sentence}</p>
        {detail !== undefined && <div className={styles.detail}>{detail}</div>}
      </div>
      {action !== undefined && <div className={styles.whyAction}>{action}</div>}
    </div>
  );
}
