import { FieldError, Group, Input, Label, NumberField, Text } from "react-aria-components";
import styles from "./field.module.css";

interface NumberInputProps {
  label: string;
  value: number;
  onChange: (value: number) => void;
  min?: number;
  max?: number;
  step?: number;
  hint?: string | undefined;
  error?: string | undefined;
  disabled?: boolean;
}

export function NumberInput({ label, value, onChange, min, max, step, hint, error, disabled }: NumberInputProps) {
  return (
    <NumberField
      className={styles.field ?? ""}
      value={value}
      onChange={onChange}
      isInvalid={error !== undefined}
      isDisabled={disabled ?? false}
      {...(min === undefined ? {} : { minValue: min })}
      {...(max === undefined ? {} : { maxValue: max })}
      {...(step === undefined ? {} : { step })}
      validationBehavior="aria"
    >
      <Label className={styles.label ?? ""}>{label}</Label>
      <Group className={styles.group ?? ""}>
        <Input className={styles.input ?? ""} />
      </Group>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ""}>
          {hint}
        </Text>
      )}
      <FieldError className={styles.error ?? ""}>{error}</FieldError>
    </NumberField>
  );
}
