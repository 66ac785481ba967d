import { MAX_CONCURRENCY, UNITS, looksLikeCron, type TriggerForm } from "../../kinds/pipelinesForm";
import { Check } from "../../../../parts/field/Check";
import { Choice } from "../../../../parts/field/Choice";
import { NumberInput } from "../../../../parts/field/NumberInput";
import { Segments } from "../../../../parts/field/Segments";
import { TextInput } from "../../../../parts/field/TextInput";
import { FieldBox, FieldRow } from "../../../../parts/form/Form";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

/** When a recurring run starts. */
export function TriggerFields({ form, onChange }: { form: TriggerForm; onChange: (changed: Partial<TriggerForm>) => void }) {
  const words = useWords().pipelines.trigger;
  return (
    <FieldBox label={words.label}>
      <Segments
        label={words.label}
        value={form.kind}
        onChange={(kind) => onChange({ kind })}
        options={[
          { value: "cron", label: words.cron },
          { value: "interval", label: words.interval },
        ]}
      />
      {form.kind === "cron" ? (
        <TextInput label={words.cron} value={form.cron} onChange={(cron) => onChange({ cron })} hint={words.cronHint} error={looksLikeCron(form.cron) ? undefined : words.badCron} required />
      ) : (
        <FieldRow>
          <NumberInput label={words.every} value={form.every} min={1} onChange={(every) => onChange({ every })} />
          <Choice
            label={words.unit}
            value={form.unit}
            onChange={(unit) => onChange({ unit: unit as TriggerForm["unit"] })}
            options={UNITS.map((value) => ({ value, label: words.units[value] }))}
          />
        </FieldRow>
      )}
      <FieldRow>
        <Moment label={words.start} value={form.start} onChange={(start) => onChange({ start })} />
        <Moment label={words.end} value={form.end} onChange={(end) => onChange({ end })} />
        <NumberInput label={words.maxConcurrency} value={form.maxConcurrency} min={1} max={MAX_CONCURRENCY} onChange={(maxConcurrency) => onChange({ maxConcurrency })} />
      </FieldRow>
      <Check label={words.catchUp} checked={form.catchUp} onChange={(catchUp) => onChange({ catchUp })} />
    </FieldBox>
  );
}

const hasSeconds = (time: string): boolean => /T\d+:\d+:\d+/.test(time);

/** The browser's own control of a date and time. */
function Moment({ label, value, onChange }: { label: string; value: string; onChange: (value: string) => void }) {
  return (
    <label className={styles.moment}>
      <span>{label}</span>
      <input type="datetime-local" value={value} step={hasSeconds(value) ? 1 : 60} onChange={(event) => onChange(event.target.value)} />
    </label>
  );
}
