/** Why something waits or has failed, and what helps. The server says it in English, in the words of `windlass explain`. */
import type { Assumption, Explanation, Fix, ForecastView, JobView, NoRoom, PhaseStatus, Why } from "../../kinds/generated";

export const reasons = {
  why: (why: Why): string => why.sentence,
  fix: (fix: Fix): string => fix.text,
  /** What is short with numbers, who holds it and until when. */
  summary: (explanation: Explanation): string => explanation.summary,
  /** Why the scheduler does not start it. */
  explanation: (explanation: Explanation): string => explanation.sentence,
  forecast: (forecast: ForecastView): string => forecast.sentence,
  /** What a notebook, a board or a volume says of itself. */
  phase: (status: PhaseStatus): string => status.message,
  /** Why nothing has to end, or nothing that ends would make room. */
  noRoom: (noRoom: NoRoom): string => `${noRoom.text.charAt(0).toUpperCase()}${noRoom.text.slice(1)}.`,
  /** What a forecast takes for granted. */
  assumptions: (assumptions: Assumption[]): string => assumptions.map((one) => one.text).join("; "),
  /** What the reason of an event means, beside the reason and its message; "" where that says no more. */
  event: ((): string => "") as (reason: string) => string,
  /** What a job is doing. */
  job: (view: JobView): string => view.sentence,
};
