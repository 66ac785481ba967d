import type { ParameterError, ParameterField } from "../../kinds/pipelinesForm";
import { Choice } from "../../../../parts/field/Choice";
import { TextInput } from "../../../../parts/field/TextInput";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

interface ParameterFieldsProps {
  fields: ParameterField[];
  texts: Record<string, string>;
  errors: Record<string, ParameterError>;
  onChange: (name: string, text: string) => void;
  /** Whether the specification has been read. */
  isKnown: boolean;
}

/** A control for each parameter, by its type. */
export function ParameterFields({ fields, texts, errors, onChange, isKnown }: ParameterFieldsProps) {
  const words = useWords().pipelines.newRun;
  if (!isKnown) return <Skeleton lines={3} />;
  if (fields.length === 0) return <p className={styles.quiet}>{words.noParameters}</p>;
  return (
    <div className={styles.parameters}>
      {fields.map((field) => (
        <ParameterControl key={field.name} field={field} text={texts[field.name] ?? field.initial} error={errors[field.name]} onChange={(text) => onChange(field.name, text)} />
      ))}
    </div>
  );
}

const UNSET = " ";

function ParameterControl({ field, text, error, onChange }: { field: ParameterField; text: string; error: ParameterError | undefined; onChange: (text: string) => void }) {
  const words = useWords().pipelines.newRun;
  const message = error && words.errors[error];
  const type = [words.types[field.type] ?? field.type, ...(field.isRequired ? [] : [words.optional])].join(", ");
  const hint = [field.hint, type].filter(Boolean).join(" · ");
  if (field.shape === "choice" || field.shape === "flag") {
    const values = field.shape === "flag" ? [{ value: "true", label: words.yes }, { value: "false", label: words.no }] : field.options.map((value) => ({ value, label: value }));
    const options = text === "" || !field.isRequired ? [{ value: UNSET, label: words.unset }, ...values] : values;
    return <Choice label={field.name} hint={message ?? hint} value={text === "" ? UNSET : text} options={options} onChange={(next) => onChange(next === UNSET ? "" : next)} />;
  }
  return <TextInput label={field.name} value={text} onChange={onChange} hint={hint} error={message} required={field.isRequired} multiline={field.shape === "json"} />;
}
