import { useState } from "react";
import { parse, stringify } from "yaml";
import { useWords } from "../../words";
import { TextInput } from "../field/TextInput";

interface YamlFieldProps {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  value: unknown;
  onChange: (value: unknown) => void;
}

/** A value that has no control of its own, as a small text of YAML. A text that cannot be read changes nothing. */
export function YamlField({ label, hint, error, value, onChange }: YamlFieldProps) {
  const words = useWords().editing;
  const [typed, setTyped] = useState(() => textOf(value));
  const read = valueOf(typed);
  const isOwn = read === BROKEN || JSON.stringify(read) === JSON.stringify(value);
  return (
    <TextInput
      label={label}
      hint={hint === undefined ? words.fieldHint : `${hint} (${words.fieldHint})`}
      error={read === BROKEN ? words.fieldBroken : error}
      multiline
      mono
      value={isOwn ? typed : textOf(value)}
      onChange={(text) => {
        setTyped(text);
        const next = valueOf(text);
        if (next !== BROKEN) onChange(next);
      }}
    />
  );
}

const BROKEN = Symbol("a text that is not YAML");

const textOf = (value: unknown): string => (value === undefined ? "" : stringify(value, { lineWidth: 0 }).trimEnd());

function valueOf(text: string): unknown {
  if (text.trim() === "") return undefined;
  try {
    return parse(text);
  } catch {
    return BROKEN;
  }
}
