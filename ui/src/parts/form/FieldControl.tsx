import { useWords } from "../../words";
import { Choice } from "../field/Choice";
import { TextInput } from "../field/TextInput";
import { linesOf, mapOf, mapText, numberOf, textOf } from "./values";
import { problemAt, type Field } from "./schema";
import type { FormContext, FormPath } from "./SchemaForm";
import styles from "./SchemaForm.module.css";

interface FieldControlProps {
  field: Field;
  value: unknown;
  path: FormPath;
  context: FormContext;
}

const UNSET = " ";

/** The control of a single value; what an object or a list of objects is has folds instead. */
export function FieldControl({ field, value, path, context }: FieldControlProps) {
  const words = useWords().jobs.form;
  const error = problemAt(context.problems, path);
  const set = (next: unknown) => context.onSet(path, next);
  const common = { label: field.name, hint: field.description === "" ? undefined : field.description, error };
  const unset = { value: UNSET, label: field.schema.default === undefined ? words.unset : `${words.unset} (${textOf(field.schema.default)})` };
  switch (field.shape) {
    case "flag":
    case "choice": {
      const options = field.shape === "flag" ? ["true", "false"] : (field.schema.enum ?? []).map(textOf);
      return (
        <Choice
          label={field.name}
          hint={error ?? common.hint}
          options={[unset, ...options.map((option) => ({ value: option, label: option === "" ? '""' : option }))]}
          value={value === undefined ? UNSET : textOf(value)}
          onChange={(next) => set(next === UNSET ? undefined : field.shape === "flag" ? next === "true" : next)}
        />
      );
    }
    case "number":
      return <TextInput {...common} value={textOf(value)} placeholder={textOf(field.schema.default)} onChange={(next) => set(numberOf(next))} />;
    case "texts":
      return <TextInput {...common} multiline value={Array.isArray(value) ? value.map(textOf).join("\n") : ""} onChange={(next) => set(linesOf(next))} />;
    case "map":
      return <TextInput {...common} multiline placeholder={`${words.key}=${words.value}`} value={mapText(value)} onChange={(next) => set(mapOf(next))} />;
    case "text":
      return <TextInput {...common} value={textOf(value)} placeholder={textOf(field.schema.default)} onChange={(next) => set(next === "" ? undefined : next)} />;
    default:
      return (
        <p className={styles.hint}>
          <b>{field.name}</b> {field.description} ({words.asYaml})
        </p>
      );
  }
}
