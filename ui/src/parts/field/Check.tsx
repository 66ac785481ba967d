import { CheckboxButton, CheckboxField } from "react-aria-components";
import { Icon } from "../Icon";
import styles from "./field.module.css";

interface CheckProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  disabled?: boolean;
}

export function Check({ label, checked, onChange, disabled }: CheckProps) {
  return (
    <CheckboxField isSelected={checked} onChange={onChange} isDisabled={disabled ?? false}>
      <CheckboxButton className={styles.check ?? ""}>
        <span className={styles.box}>
          <Icon name="check" size={12} />
        </span>
        {label}
      </CheckboxButton>
    </CheckboxField>
  );
}
