/** Why something waits or has failed, and what helps. The server says it in English, in the words of `windlass explain`. */
import type { Explanation, Fix, ForecastView, JobView, Why } from "../../kinds/generated";

export const reasons = {
  why: (why: Why): string => why.sentence,
  fix: (fix: Fix): string => fix.text,
  /** What is short with numbers, who holds it and until when. */
  summary: (explanation: Explanation): string => explanation.summary,
  /** Why the scheduler does not start it. */
  explanation: (explanation: Explanation): string => explanation.sentence,
  forecast: (forecast: ForecastView): string => forecast.sentence,
  /** What a job is doing. */
  job: (view: JobView): string => view.sentence,
};
