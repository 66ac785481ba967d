import { useSpeech } from "../../words";
import { duration } from "../text/times";
import { Duration, Time } from "../text/Time";
import styles from "./StepTimeline.module.css";

export interface Step {
  name: "created" | "admitted" | "scheduled" | "running" | "ended";
  state: "done" | "current" | "ahead";
  /** RFC 3339. */
  at: string | null;
  /** How long it took to reach the next one. */
  seconds: number | null;
}

/** What has been reached and how long each part took; the current one counts on. */
export function StepTimeline({ steps }: { steps: Step[] }) {
  const { words, language } = useSpeech();
  const names = words.viewers.timeline;
  return (
    <ol className={styles.steps} aria-label={names.label}>
      {steps.map((step) => (
        <li key={step.name} className={[styles.step, styles[step.state]].join(" ")} aria-current={step.state === "current" ? "step" : undefined}>
          <span className={styles.name}>{names.steps[step.name]}</span>
          <span className={styles.when}>{step.at === null ? "" : <Time at={step.at} />}</span>
          {step.seconds !== null && (
            <span className={styles.took}>
              {step.state === "current" && step.at !== null && step.name !== "ended" ? <Duration from={step.at} /> : duration(step.seconds, language)}
            </span>
          )}
        </li>
      ))}
    </ol>
  );
}
