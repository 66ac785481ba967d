import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { messageOf } from "../../api/errors";
import { KEYS, createExperiment, createRecurringRun, createRun } from "../../api/pipelines";
import { rightTo, useRights } from "../../api/rights";
import { PATHS, RIGHTS, nameOf, type Experiment, type Pipeline, type PipelineVersion, type Run } from "../../kinds/pipelines";
import {
  copyName,
  looksLikeCron,
  parameterFields,
  parameterValues,
  proposedName,
  recurringBody,
  runBody,
  triggerForm,
  type RunForm,
  type RunSource,
  type Schedule,
  type TriggerForm,
} from "../../kinds/pipelinesForm";
import { isStaleness, runOptions } from "../../kinds/pipelinesOptions";
import type { SpecView } from "../../kinds/pipelinesSpec";
import { Button } from "../../parts/button/Button";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { Choice } from "../../parts/field/Choice";
import { TextInput } from "../../parts/field/TextInput";
import { CardChoice } from "../../parts/form/CardChoice";
import { Fold } from "../../parts/form/Fold";
import { ButtonRow, FieldRow, Form, Section } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { useWords } from "../../words";
import { OptionFields } from "./OptionFields";
import { ParameterFields } from "./ParameterFields";
import { TriggerFields } from "./TriggerFields";

/** The experiment that is made with the first run of a namespace. */
const DEFAULT_EXPERIMENT = "Default";
const FIRST = " ";

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

interface RunFormViewProps {
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

export function RunFormView(props: RunFormViewProps) {
  const { namespace, offers, spec, source } = props;
  const words = useWords();
  const own = words.pipelines.newRun;
  const state = useRunForm(props);
  const { form, change, isRecurring, setRecurring, trigger, setTrigger, fields, texts, setTexts, errors, shownErrors, busy, refusal, submit } = state;
  const missing = useRights(namespace)(rightTo("create", isRecurring ? RIGHTS.recurring : RIGHTS.runs, namespace));
  return (
    <Form label={own.title} onSubmit={submit}>
      <SourceFields {...props} />
      {source !== undefined && (
        <>
          <Section title={own.details}>
            <FieldRow>
              <TextInput label={own.name} value={form.name} onChange={(name) => change({ name })} required error={state.hasTried && form.name.trim() === "" ? own.errors.required : undefined} />
              <Choice
                label={words.pipelines.experiment}
                hint={own.experimentHint}
                value={form.experiment || FIRST}
                onChange={(experiment) => change({ experiment: experiment === FIRST ? "" : experiment })}
                options={offers.experiments.length === 0 ? [{ value: FIRST, label: DEFAULT_EXPERIMENT }] : offers.experiments.map((one) => ({ value: one.experiment_id, label: nameOf(one) }))}
              />
            </FieldRow>
            <Fold label={words.common.advanced}>
              <FieldRow>
                <TextInput label={words.pipelines.description} value={form.description} onChange={(description) => change({ description })} />
                <TextInput label={words.pipelines.run.account} value={form.serviceAccount} onChange={(serviceAccount) => change({ serviceAccount })} hint={own.accountHint} />
                <TextInput label={words.pipelines.run.root} value={form.root} onChange={(root) => change({ root })} hint={own.rootHint} />
              </FieldRow>
            </Fold>
            <OptionFields options={form.options} onChange={(changed) => change({ options: { ...form.options, ...changed } })} />
          </Section>
          <Section title={own.parameters}>
            <ParameterFields fields={fields} texts={texts} errors={shownErrors} onChange={(name, text) => setTexts((before) => ({ ...before, [name]: text }))} isKnown={spec !== undefined} />
          </Section>
          <Section title={own.kind}>
            <CardChoice
              label={own.kind}
              value={isRecurring ? "recurring" : "once"}
              onChange={(kind) => setRecurring(kind === "recurring")}
              options={[
                { value: "once", label: own.once, hint: own.onceHint },
                { value: "recurring", label: own.recurring, hint: own.recurringHint },
              ]}
            />
            {isRecurring && <TriggerFields form={trigger} onChange={(changed) => setTrigger((before) => ({ ...before, ...changed }))} />}
          </Section>
        </>
      )}
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal} />}
      <ButtonRow>
        <Button
          type="submit"
          look="primary"
          icon={isRecurring ? "clock" : "play"}
          label={isRecurring ? own.schedule : own.start}
          busy={busy}
          missing={missing}
          disabledReason={source === undefined ? own.choosePipeline : undefined}
        />
        <ButtonLink to={PATHS.runs} look="quiet">
          {words.common.cancel}
        </ButtonLink>
        {source !== undefined && "pipeline_id" in source && <CommandHint lines={[commandOf(source.pipeline_id, source.pipeline_version_id, form, offers, state.values)]} />}
        {state.hasTried && Object.keys(errors).length > 0 && <span role="status">{own.fix}</span>}
      </ButtonRow>
    </Form>
  );
}

function SourceFields({ offers, onPipeline, onVersion }: RunFormViewProps) {
  const words = useWords().pipelines;
  if (offers.isInline) return <Section title={words.newRun.source} hint={words.newRun.inlineSource}>{null}</Section>;
  return (
    <Section title={words.newRun.source}>
      <FieldRow>
        <Choice label={words.pipeline} value={offers.pipeline} onChange={onPipeline} options={offers.pipelines.map((one) => ({ value: one.pipeline_id, label: nameOf(one), hint: one.description }))} />
        {offers.pipeline !== "" && (
          <Choice
            label={words.version}
            value={offers.version}
            onChange={onVersion}
            options={offers.versions.map((one, index) => ({ value: one.pipeline_version_id, label: nameOf(one), hint: index === 0 ? words.newRun.latest : undefined }))}
          />
        )}
      </FieldRow>
    </Section>
  );
}

function commandOf(pipeline: string, version: string, form: RunForm, offers: RunOffers, values: Record<string, unknown>): string {
  const experiment = offers.experiments.find((one) => one.experiment_id === form.experiment);
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const parameters = Object.entries(values).map(([name, value]) => quoted(`${name}=${typeof value === "string" ? value : JSON.stringify(value)}`));
  return [`kfp --endpoint ${location.origin}/pipeline run create`, `--experiment-name ${quoted(experiment === undefined ? "Default" : nameOf(experiment))}`, `--run-name ${quoted(form.name)}`, `--pipeline-id ${pipeline} --version ${version}`, ...parameters].join(" ");
}

const firstExperimentOf = async (namespace: string): Promise<string> => (await createExperiment({ display_name: DEFAULT_EXPERIMENT, namespace })).experiment_id;

/** The state of the form. Errors are shown of what was edited, and of all once one has tried. */
function useRunForm({ namespace, offers, spec, source, original, experiment, schedule, isRecurring: initiallyRecurring }: RunFormViewProps) {
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
  return { form: complete, change, isRecurring, setRecurring, trigger, setTrigger, fields, texts, setTexts, values, errors, shownErrors, hasTried, busy, refusal, submit };
}
