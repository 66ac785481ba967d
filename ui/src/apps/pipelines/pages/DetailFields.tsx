import { nameOf, type Experiment } from "../kinds/pipelines";
import type { RunForm } from "../kinds/pipelinesForm";
import { Choice } from "../../../parts/field/Choice";
import { TextInput } from "../../../parts/field/TextInput";
import { Fold } from "../../../parts/form/Fold";
import { FieldRow, Section } from "../../../parts/form/Form";
import { useWords } from "../../../words";
import { OptionFields } from "./new-run/OptionFields";
import { DEFAULT_EXPERIMENT } from "./new-run/useRunForm";

/** A choice needs a value: that of the experiment that is made with the first run. */
const FIRST = " ";

interface DetailFieldsProps {
  form: RunForm;
  experiments: Experiment[];
  /** Whether it was tried to start it: what is missing is marked then. */
  hasTried: boolean;
  onChange: (changed: Partial<RunForm>) => void;
}

/** What the run is called, where it belongs, and how it is run. */
export function DetailFields({ form, experiments, hasTried, onChange }: DetailFieldsProps) {
  const words = useWords();
  const own = words.pipelines.newRun;
  return (
    <Section title={own.details}>
      <FieldRow>
        <TextInput label={own.name} value={form.name} onChange={(name) => onChange({ name })} required error={hasTried && form.name.trim() === "" ? own.errors.required : undefined} />
        <Choice
          label={words.pipelines.experiment}
          hint={own.experimentHint}
          value={form.experiment || FIRST}
          onChange={(experiment) => onChange({ experiment: experiment === FIRST ? "" : experiment })}
          options={experiments.length === 0 ? [{ value: FIRST, label: DEFAULT_EXPERIMENT }] : experiments.map((one) => ({ value: one.experiment_id, label: nameOf(one) }))}
        />
      </FieldRow>
      <Fold label={words.common.advanced}>
        <FieldRow>
          <TextInput label={words.pipelines.description} value={form.description} onChange={(description) => onChange({ description })} />
          <TextInput label={words.pipelines.run.account} value={form.serviceAccount} onChange={(serviceAccount) => onChange({ serviceAccount })} hint={own.accountHint} />
          <TextInput label={words.pipelines.run.root} value={form.root} onChange={(root) => onChange({ root })} hint={own.rootHint} />
        </FieldRow>
      </Fold>
      <OptionFields options={form.options} onChange={(changed) => onChange({ options: { ...form.options, ...changed } })} />
    </Section>
  );
}
