import { FieldError, Input, Label, Text, TextArea, TextField } from "react-aria-components";
import styles from "./field.module.css";

interface TextInputProps {
  label: string;
  /** Without a visible label, for a box whose purpose is plain. */
  hideLabel?: boolean;
  value: string;
  onChange: (value: string) => void;
  hint?: string | undefined;
  error?: string | undefined;
  placeholder?: string;
  type?: "text" | "email" | "password" | "search";
  multiline?: boolean;
  /** For what a program reads. */
  mono?: boolean;
  required?: boolean;
  disabled?: boolean;
  autoFocus?: boolean;
}

export function TextInput(props: TextInputProps) {
  const { label, hideLabel, value, onChange, hint, error, placeholder, type, multiline, mono, required, disabled, autoFocus } = props;
  return (
    <TextField
      className={styles.field ?? ""}
      value={value}
      onChange={onChange}
      isInvalid={error !== undefined}
      isRequired={required ?? false}
      isDisabled={disabled ?? false}
      type={type ?? "text"}
      // A dialog or form that opens for typing puts the cursor where one types.
      autoFocus={autoFocus ?? false}
      validationBehavior="aria"
    >
      <Label className={hideLabel ? "visually-hidden" : (styles.label ?? "")}>{label}</Label>
      {multiline ? (
        <TextArea className={[styles.input, mono && styles.mono].filter(Boolean).join(" ")} placeholder={placeholder ?? ""} />
      ) : (
        <Input className={styles.input ?? ""} placeholder={placeholder ?? ""} spellCheck={false} autoComplete="off" />
      )}
      {hint !== undefined && error === undefined && (
        <Text slot="description" className={styles.hint ?? ""}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ""}>{error}</FieldError>
    </TextField>
  );
}
