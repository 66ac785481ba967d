import { Label, RadioButton, RadioField, RadioGroup } from "react-aria-components";
import styles from "./Form.module.css";

export interface CardOption<T extends string> {
  value: T;
  label: string;
  hint?: string;
}

interface CardChoiceProps<T extends string> {
  label: string;
  options: CardOption<T>[];
  value: T;
  onChange: (value: T) => void;
  disabled?: boolean;
}

/** A few alternatives that each deserve a line of explanation. */
export function CardChoice<T extends string>({ label, options, value, onChange, disabled }: CardChoiceProps<T>) {
  return (
    <RadioGroup value={value} onChange={(chosen) => onChange(chosen as T)} isDisabled={disabled ?? false} orientation="horizontal">
      <Label className="visually-hidden">{label}</Label>
      <div className={styles.cards}>
        {options.map((option) => (
          <RadioField key={option.value} value={option.value}>
            <RadioButton className={styles.card ?? ""}>
              <span className={styles.cardLabel}>{option.label}</span>
              {option.hint !== undefined && <span className={styles.cardHint}>{option.hint}</span>}
            </RadioButton>
          </RadioField>
        ))}
      </div>
    </RadioGroup>
  );
}
