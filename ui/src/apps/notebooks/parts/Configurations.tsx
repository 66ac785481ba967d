import { CheckList } from "../../../parts/form/CheckList";
import { useWords } from "../../../words";
import type { PodDefaultOption } from "../api/notebooks";
import styles from "../pages/Notebooks.module.css";

interface ConfigurationsProps {
  podDefaults: PodDefaultOption[];
  chosen: string[];
  disabled?: boolean;
  onChange: (chosen: string[]) => void;
}

/** The namespace's PodDefaults, by what they say they do. */
export function Configurations({ podDefaults, chosen, disabled, onChange }: ConfigurationsProps) {
  const words = useWords().notebooks;
  if (podDefaults.length === 0) return <p className={styles.quiet}>{words.noConfigurations}</p>;
  return (
    <CheckList
      label={words.configurations}
      options={podDefaults.map((one) => ({ value: one.label, label: one.desc, hint: one.desc === one.metadata.name ? undefined : one.metadata.name }))}
      chosen={chosen}
      onChange={onChange}
      {...(disabled === undefined ? {} : { disabled })}
    />
  );
}
