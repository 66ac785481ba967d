import { useWords } from "../../words";
import { Choice } from "../field/Choice";
import { TextInput } from "../field/TextInput";
import { isLineList, isLineMap, linesOf, linesText, mapOf, mapText, numberOf, textOf } from "./values";
import { problemAt, type Field } from "./schema";
import type { FormContext, FormPath } from "./SchemaForm";
import { useTyped } from "./useTyped";
import { YamlField } from "./YamlField";

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
  const typed = { ...common, value, set };
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
      return <TypedInput {...typed} write={textOf} read={numberOf} placeholder={textOf(field.schema.default)} />;
    case "texts":
      return isLineList(value) ? <TypedInput {...typed} multiline write={linesText} read={linesOf} /> : <YamlField {...common} value={value} onChange={set} />;
    case "map":
      return isLineMap(value) ? (
        <TypedInput {...typed} multiline placeholder={`${words.key}=${words.value}`} write={mapText} read={mapOf} />
      ) : (
        <YamlField {...common} value={value} onChange={set} />
      );
    case "text":
      return <TextInput {...common} value={textOf(value)} placeholder={textOf(field.schema.default)} onChange={(next) => set(next === "" ? undefined : next)} />;
    default:
      return <YamlField {...common} value={value} onChange={set} />;
  }
}

interface TypedInputProps {
  label: string;
  hint: string | undefined;
  error: string | undefined;
  multiline?: boolean;
  placeholder?: string;
  value: unknown;
  set: (value: unknown) => void;
  write: (value: unknown) => string;
  read: (text: string) => unknown;
}

function TypedInput({ value, set, write, read, ...input }: TypedInputProps) {
  const [text, type] = useTyped(value, write, read, set);
  return <TextInput {...input} value={text} onChange={type} />;
}
