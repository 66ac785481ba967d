import { Label, RadioButton, RadioField, RadioGroup } from "react-aria-components";
import styles from "./field.module.css";

interface SegmentsProps<T extends string> {
  label: string;
  options: { value: T; label: string }[];
  value: T;
  onChange: (value: T) => void;
}

/** A few alternatives side by side, such as Form and YAML. */
export function Segments<T extends string>({ label, options, value, onChange }: SegmentsProps<T>) {
  return (
    <RadioGroup value={value} onChange={(chosen) => onChange(chosen as T)} orientation="horizontal">
      <Label className="visually-hidden">{label}</Label>
      <div className={styles.segments}>
        {options.map((option) => (
          <RadioField key={option.value} value={option.value}>
            <RadioButton className={styles.segment ?? ""}>{option.label}</RadioButton>
          </RadioField>
        ))}
      </div>
    </RadioGroup>
  );
}
