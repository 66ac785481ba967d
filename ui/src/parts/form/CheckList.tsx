import { Check } from "../field/Check";
import type { Option } from "../field/Choice";
import styles from "./Form.module.css";

interface CheckListProps {
  label: string;
  options: Option[];
  chosen: string[];
  onChange: (chosen: string[]) => void;
  disabled?: boolean;
}

/** Any number of several. */
export function CheckList({ label, options, chosen, onChange, disabled }: CheckListProps) {
  return (
    <div role="group" aria-label={label} className={styles.checks}>
      {options.map((option) => (
        <Check
          key={option.value}
          label={option.hint === undefined ? option.label : `${option.label} (${option.hint})`}
          checked={chosen.includes(option.value)}
          disabled={disabled ?? false}
          onChange={(checked) => onChange(checked ? [...chosen, option.value] : chosen.filter((value) => value !== option.value))}
        />
      ))}
    </div>
  );
}
