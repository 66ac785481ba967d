import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { messageOf } from "../../../../api/errors";
import { KEYS, createExperiment, createRecurringRun, createRun } from "../../api/pipelines";
import { PATHS, nameOf, type Experiment, type Pipeline, type PipelineVersion, type Run } from "../../kinds/pipelines";
import { recurringCommand, runCommand } from "../../kinds/pipelinesCommands";
import { copyName, looksLikeCron, parameterFields, parameterValues, proposedName, recurringBody, runBody, triggerForm, type RunForm, type RunSource, type Schedule, type TriggerForm } from "../../kinds/pipelinesForm";
import { isStaleness, runOptions } from "../../kinds/pipelinesOptions";
import type { SpecView } from "../../kinds/graph/pipelinesSpec";
import { useToast } from "../../../../parts/overlay/toasts";
import { useWords } from "../../../../words";

/** The experiment that is made with the first run of a namespace. */
export const DEFAULT_EXPERIMENT = "Default";

export interface RunOffers {
  pipelines: Pipeline[];
  versions: PipelineVersion[];
  experiments: Experiment[];
  /** What is chosen. */
  pipeline: string;
  version: string;
  /** The specification of a cloned run is used instead of a version. */
  isInline: boolean;
}

export interface RunFormProps {
  namespace: string;
  offers: RunOffers;
  spec: SpecView | undefined;
  source: RunSource | undefined;
  /** The run that is cloned. */
  original: Pick<Run, "runtime_config" | "display_name" | "service_account" | "description" | "plugins_input"> | undefined;
  experiment: string | undefined;
  /** When the schedule runs that is cloned. */
  schedule: Schedule | undefined;
  isRecurring: boolean;
  onPipeline: (id: string) => void;
  onVersion: (id: string) => void;
}

const firstExperimentOf = async (namespace: string): Promise<string> => (await createExperiment({ display_name: DEFAULT_EXPERIMENT, namespace })).experiment_id;

/** The state of the form. Errors are shown of what was edited, and of all once one has tried. */
export function useRunForm({ namespace, offers, spec, source, original, experiment, schedule, isRecurring: initiallyRecurring }: RunFormProps) {
  const words = useWords().pipelines.newRun;
  const navigate = useNavigate();
  const toast = useToast();
  const queries = useQueryClient();
  const pipeline = offers.pipelines.find((one) => one.pipeline_id === offers.pipeline);
  const [form, setForm] = useState<RunForm>(() => ({
    name: original === undefined ? proposedName(pipeline === undefined ? (spec?.name ?? "") : nameOf(pipeline), new Date()) : copyName(nameOf(original)),
    description: original?.description ?? "",
    experiment: experiment ?? "",
    serviceAccount: original?.service_account ?? "",
    root: original?.runtime_config?.pipeline_root ?? "",
    options: runOptions(original?.plugins_input),
  }));
  // Experiments may be listed later than the form is shown.
  const firstExperiment = offers.experiments.find((one) => nameOf(one) === DEFAULT_EXPERIMENT) ?? offers.experiments[0];
  const complete: RunForm = { ...form, experiment: form.experiment || firstExperiment?.experiment_id || "" };
  const [isRecurring, setRecurring] = useState(initiallyRecurring);
  const [trigger, setTrigger] = useState<TriggerForm>(() => triggerForm(schedule));
  const fields = useMemo(() => (spec === undefined ? [] : parameterFields(spec, original?.runtime_config?.parameters ?? {})), [spec, original]);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [hasTried, setHasTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const { values, errors } = useMemo(() => parameterValues(fields, texts), [fields, texts]);
  const shownErrors = Object.fromEntries(Object.entries(errors).filter(([name, error]) => hasTried || (name in texts && error !== "required")));
  const submit = () => {
    setHasTried(true);
    const isScheduleWrong = isRecurring && trigger.kind === "cron" && !looksLikeCron(trigger.cron);
    const areOptionsWrong = complete.options.caching && !isStaleness(complete.options.maxStaleness);
    const isWrong = Object.keys(errors).length > 0 || complete.name.trim() === "" || isScheduleWrong || areOptionsWrong;
    if (isWrong || busy || source === undefined) return;
    setBusy(true);
    setRefusal(undefined);
    const name = complete.name.trim();
    const make = async () => {
      const inExperiment = { ...complete, experiment: complete.experiment || (await firstExperimentOf(namespace)) };
      if (isRecurring) {
        const row = await createRecurringRun({ ...recurringBody(inExperiment, source, values, trigger), namespace });
        return { to: PATHS.recurringRun(row.recurring_run_id), text: words.scheduled(name) };
      }
      const run = await createRun(runBody(inExperiment, source, values));
      return { to: PATHS.run(run.run_id), text: words.started(name) };
    };
    make()
      .then(({ to, text }) => {
        toast({ text });
        void queries.invalidateQueries({ queryKey: isRecurring ? KEYS.recurring : KEYS.runs });
        void queries.invalidateQueries({ queryKey: KEYS.experiments });
        void navigate({ to });
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  const change = (changed: Partial<RunForm>) => setForm((before) => ({ ...before, ...changed }));
  const commandOf = ({ pipeline_id, pipeline_version_id }: { pipeline_id: string; pipeline_version_id: string }): string => {
    const chosen = offers.experiments.find((one) => one.experiment_id === complete.experiment);
    const wanted = { endpoint: `${location.origin}/pipeline`, pipeline: pipeline_id, version: pipeline_version_id, experiment: chosen === undefined ? DEFAULT_EXPERIMENT : nameOf(chosen), form: complete, values };
    return isRecurring ? recurringCommand(wanted, trigger) : runCommand(wanted);
  };
  return { form: complete, change, isRecurring, setRecurring, trigger, setTrigger, fields, texts, setTexts, values, errors, shownErrors, hasTried, busy, refusal, submit, commandOf };
}
