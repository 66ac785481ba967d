import { OTHER } from "../../kinds/notebookManifest";
import { Check } from "../../../../parts/field/Check";
import { Choice } from "../../../../parts/field/Choice";
import { TextInput } from "../../../../parts/field/TextInput";
import { FieldRow, Section } from "../../../../parts/form/Form";
import { Configurations } from "../../parts/Configurations";
import { useWords } from "../../../../words";
import type { FieldsProps } from "./formProps";

export function AdvancedFields({ form, offers: { config, podDefaults }, errors, onChange }: FieldsProps) {
  const { notebooks: words, editing } = useWords();
  const affinities = config.affinityConfig.options ?? [];
  const tolerations = config.tolerationGroup.options ?? [];
  const none = { value: "", label: words.noChoice };
  const other = (chosen: string) => (chosen === OTHER ? [{ value: OTHER, label: editing.chosenInYaml }] : []);
  return (
    <>
      <Section title={words.configurations} hint={config.configurations.readOnly === true ? words.fixed : words.configurationsHint}>
        <Configurations
          podDefaults={podDefaults}
          chosen={form.configurations}
          disabled={config.configurations.readOnly === true}
          onChange={(configurations) => onChange({ configurations })}
        />
      </Section>
      <TextInput
        label={words.environment}
        hint={words.environmentHint}
        multiline
        value={form.environment}
        placeholder="TRACKING_URL=https://tracking.example"
        disabled={config.environment?.readOnly === true}
        error={errors["environment"] && words.errors[errors["environment"]]}
        onChange={(environment) => onChange({ environment })}
      />
      {affinities.length + tolerations.length > 0 && (
        <FieldRow>
          {affinities.length > 0 && (
            <Choice
              label={words.affinity}
              options={[none, ...affinities.map((one) => ({ value: one.configKey, label: one.displayName })), ...other(form.affinity)]}
              value={form.affinity}
              disabled={config.affinityConfig.readOnly === true}
              onChange={(affinity) => onChange({ affinity })}
            />
          )}
          {tolerations.length > 0 && (
            <Choice
              label={words.tolerations}
              options={[none, ...tolerations.map((one) => ({ value: one.groupKey, label: one.displayName })), ...other(form.tolerations)]}
              value={form.tolerations}
              disabled={config.tolerationGroup.readOnly === true}
              onChange={(chosen) => onChange({ tolerations: chosen })}
            />
          )}
        </FieldRow>
      )}
      <Check
        label={words.sharedMemory}
        checked={form.sharedMemory}
        disabled={config.shm.readOnly === true}
        onChange={(sharedMemory) => onChange({ sharedMemory })}
      />
    </>
  );
}
