import type { GangOutcome, Outcome, WhatIfView } from "../../../kinds/generated";
import { duration } from "../../../parts/text/times";
import { useSpeech } from "../../../words";
import styles from "./queues.module.css";

/** Gangs that are drawn: the totals count all. */
const MAX_GANGS = 12;

/** Gangs that would start at another time, those that are new or start at all first. Pure. */
export function changedGangs(gangs: GangOutcome[]): GangOutcome[] {
  const changed = gangs.filter((gang) => gang.beforeSeconds !== gang.afterSeconds);
  const gain = ({ beforeSeconds, afterSeconds }: GangOutcome) => (beforeSeconds ?? Infinity) - (afterSeconds ?? Infinity);
  return changed.sort((a, b) => (gain(b) === gain(a) ? 0 : gain(b) - gain(a))).slice(0, MAX_GANGS);
}

/** How everything that waits would go, before and after the change. */
export function Outcomes({ answer }: { answer: WhatIfView }) {
  const { words, language } = useSpeech();
  const time = (seconds: number | null) => (seconds === null ? "–" : duration(seconds, language));
  const rows: [string, (outcome: Outcome) => string][] = [
    [words.queues.meanWait, (outcome) => time(outcome.meanWaitSeconds)],
    [words.queues.makespan, (outcome) => time(outcome.makespanSeconds)],
    [words.queues.never, (outcome) => String(outcome.never)],
  ];
  const start = (seconds: number | null) => (seconds === null ? words.queues.notAtAll : seconds === 0 ? words.queues.atOnce : words.common.in(duration(seconds, language)));
  return (
    <div role="status">
      <div className={styles.outcome}>
        <span />
        <span className={styles.quiet}>{words.queues.before}</span>
        <span className={styles.quiet}>{words.queues.after}</span>
        {rows.map(([label, text]) => [
          <span key={label}>{label}</span>,
          <span key={`${label} before`}>{text(answer.before)}</span>,
          <strong key={`${label} after`}>{text(answer.after)}</strong>,
        ])}
        {changedGangs(answer.gangs).map(({ namespace, name, job, beforeSeconds, afterSeconds }) => [
          <span key={`${namespace}/${name}`}>{words.queues.startOf(`${namespace}/${job || name}`)}</span>,
          <span key={`${namespace}/${name} before`}>{start(beforeSeconds)}</span>,
          <strong key={`${namespace}/${name} after`}>{start(afterSeconds)}</strong>,
        ])}
      </div>
      {answer.assumptions.length > 0 && (
        <p className={styles.quiet}>
          {words.queues.assumptions}: {words.reasons.assumptions(answer.assumptions)}
        </p>
      )}
      {!answer.isComplete && <p className={styles.quiet}>{words.queues.stoppedEarly}</p>}
    </div>
  );
}
