/** Lines of the `kfp` command that do what forms do. Pure. */
import { triggerOf, type RunForm, type TriggerForm } from "./pipelinesForm";

const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

interface RunWanted {
  /** Where the API is: `https://host/pipeline`. */
  endpoint: string;
  pipeline: string;
  version: string;
  experiment: string;
  form: Pick<RunForm, "name">;
  values: Record<string, unknown>;
}

const parametersOf = (values: Record<string, unknown>): string[] =>
  Object.entries(values).map(([name, value]) => quoted(`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`));

export const runCommand = ({ endpoint, pipeline, version, experiment, form, values }: RunWanted): string =>
  [`kfp --endpoint ${endpoint} run create`, `--experiment-name ${quoted(experiment)}`, `--run-name ${quoted(form.name)}`, `--pipeline-id ${pipeline} --version ${version}`, ...parametersOf(values)].join(" ");

/** The same on a schedule. A schedule that cannot be read yet is left out. */
export function recurringCommand({ endpoint, pipeline, version, experiment, form, values }: RunWanted, trigger: TriggerForm): string {
  const { cron_schedule: cron, periodic_schedule: periodic } = triggerOf({ ...trigger, start: "", end: "" });
  const schedule = cron === undefined ? `--interval-second ${periodic?.interval_second ?? ""}` : `--cron-expression ${quoted(cron.cron ?? "")}`;
  return [
    `kfp --endpoint ${endpoint} recurring-run create`,
    `--experiment-name ${quoted(experiment)}`,
    `--job-name ${quoted(form.name)}`,
    schedule,
    `--max-concurrency ${trigger.maxConcurrency}`,
    `--pipeline-id ${pipeline} --version-id ${version}`,
    ...parametersOf(values),
  ].join(" ");
}
