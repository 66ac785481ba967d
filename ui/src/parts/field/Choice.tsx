import { Button, Label, ListBox, ListBoxItem, Popover, Select, SelectValue, Text } from "react-aria-components";
import { Icon } from "../Icon";
import overlay from "../overlay/overlay.module.css";
import styles from "./field.module.css";

export interface Option {
  value: string;
  label: string;
  hint?: string | undefined;
}

interface ChoiceProps {
  label: string;
  hideLabel?: boolean;
  options: Option[];
  value: string;
  onChange: (value: string) => void;
  hint?: string | undefined;
  disabled?: boolean;
}

/** One of a few values. */
export function Choice({ label, hideLabel, options, value, onChange, hint, disabled }: ChoiceProps) {
  return (
    <Select
      className={styles.field ?? ""}
      value={value}
      onChange={(chosen) => onChange(String(chosen))}
      isDisabled={disabled ?? false}
    >
      <Label className={hideLabel ? "visually-hidden" : (styles.label ?? "")}>{label}</Label>
      <Button className={`${styles.input ?? ""} ${styles.select ?? ""}`}>
        <SelectValue className={styles.selectValue ?? ""}>{({ selectedText }) => selectedText}</SelectValue>
        <Icon name="down" size={14} />
      </Button>
      {hint !== undefined && (
        <Text slot="description" className={styles.hint ?? ""}>
          {hint}
        </Text>
      )}
      <Popover className={overlay.popover ?? ""}>
        <ListBox className={overlay.menu ?? ""} items={options}>
          {(option: Option) => (
            <ListBoxItem id={option.value} textValue={option.label} className={overlay.item ?? ""}>
              <span className={overlay.itemText}>
                {option.label}
                {option.hint !== undefined && <span className={overlay.itemWhy}> {option.hint}</span>}
              </span>
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </Select>
  );
}
