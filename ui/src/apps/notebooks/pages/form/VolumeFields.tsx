import type { FormErrors } from "../../kinds/notebookForm";
import { nextDataVolume, volumeFormOf, type VolumeForm } from "../../kinds/volumeForm";
import { MODES } from "../../../volumes/kinds/volumes";
import { Button } from "../../../../parts/button/Button";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { Check } from "../../../../parts/field/Check";
import { Choice, type Option } from "../../../../parts/field/Choice";
import { TextInput } from "../../../../parts/field/TextInput";
import { ButtonRow, FieldBox, FieldRow, Section } from "../../../../parts/form/Form";
import { useWords } from "../../../../words";
import type { FieldsProps, Offers } from "./formProps";

/** Where files are kept: the workspace, and volumes with data. */
export function VolumeFields({ form, offers, errors, onChange }: FieldsProps) {
  const words = useWords().notebooks;
  const { config } = offers;
  const isFixed = config.workspaceVolume.readOnly === true;
  const change = (index: number, volume: VolumeForm) => onChange({ dataVolumes: form.dataVolumes.with(index, volume) });
  const add = (kind: VolumeForm["kind"]) => onChange({ dataVolumes: [...form.dataVolumes, nextDataVolume(form.dataVolumes, kind)] });
  return (
    <>
      <Section title={words.workspace} hint={isFixed ? words.fixed : words.workspaceHint}>
        {!isFixed && (
          <Check
            label={words.useWorkspace}
            checked={form.workspace !== undefined}
            onChange={(keep) => onChange({ workspace: keep ? (volumeFormOf(config.workspaceVolume.value) ?? nextDataVolume([], "new")) : undefined })}
          />
        )}
        {form.workspace === undefined && <WhyCard state="waiting" sentence={words.noWorkspace} />}
        {form.workspace !== undefined && !isFixed && (
          <VolumeFieldsOf label={words.workspace} volume={form.workspace} where="workspace" offers={offers} errors={errors} onChange={(workspace) => onChange({ workspace })} />
        )}
        {offers.storageClasses.preset === "" && <WhyCard state="waiting" sentence={words.noDefaultClass} />}
      </Section>
      <Section title={words.dataVolumes} hint={config.dataVolumes.readOnly === true ? words.fixed : undefined}>
        {form.dataVolumes.map((volume, index) => (
          <VolumeFieldsOf
            key={index}
            label={`${words.dataVolumes} ${index + 1}`}
            volume={volume}
            where={`data.${index}`}
            offers={offers}
            errors={errors}
            onChange={(changed) => change(index, changed)}
            onRemove={() => onChange({ dataVolumes: form.dataVolumes.filter((_, other) => other !== index) })}
          />
        ))}
        {config.dataVolumes.readOnly !== true && (
          <ButtonRow>
            <Button icon="plus" label={words.addNew} onPress={() => add("new")} />
            <Button icon="plus" label={words.addExisting} onPress={() => add("existing")} />
          </ButtonRow>
        )}
      </Section>
    </>
  );
}

interface VolumeFieldsOfProps {
  label: string;
  volume: VolumeForm;
  /** The start of the keys of its errors. */
  where: string;
  offers: Pick<Offers, "claims" | "storageClasses">;
  errors: FormErrors;
  onChange: (volume: VolumeForm) => void;
  onRemove?: () => void;
}

const KINDS = ["new", "existing", "newYaml", "existingYaml"] as const;

export function VolumeFieldsOf({ label, volume, where, offers, errors, onChange, onRemove }: VolumeFieldsOfProps) {
  const words = useWords().notebooks;
  const set = (change: Partial<VolumeForm>) => onChange({ ...volume, ...change });
  const wrong = (field: string) => {
    const error = errors[`${where}.${field}`];
    return error && words.errors[error];
  };
  return (
    <FieldBox label={label}>
      <FieldRow>
        <Choice
          label={words.volumeKind}
          options={KINDS.map((value) => ({ value, label: words.kinds[value] }))}
          value={volume.kind}
          onChange={(kind) => set({ kind: kind as VolumeForm["kind"] })}
        />
        <TextInput label={words.mount} value={volume.mount} error={wrong("mount")} onChange={(mount) => set({ mount })} />
      </FieldRow>
      {volume.kind === "new" && <NewClaimFields volume={volume} offers={offers} wrong={wrong} set={set} />}
      {volume.kind === "existing" && (
        <>
          <Choice
            label={words.claim}
            options={claimOptions(offers.claims, volume.claim)}
            value={volume.claim}
            hint={wrong("claim")}
            onChange={(claim) => set({ claim })}
          />
          <Check label={words.readOnly} checked={volume.readOnly} onChange={(readOnly) => set({ readOnly })} />
        </>
      )}
      {volume.kind.endsWith("Yaml") && (
        <TextInput
          label="YAML"
          multiline
          value={volume.yaml}
          hint={volume.kind === "newYaml" ? words.newYamlHint : words.sourceYamlHint}
          error={wrong("yaml")}
          onChange={(yaml) => set({ yaml })}
        />
      )}
      {onRemove && (
        <ButtonRow>
          <Button small look="quiet" icon="trash" label={words.remove} onPress={onRemove} />
        </ButtonRow>
      )}
    </FieldBox>
  );
}

/** The claims that there are, and the one that the YAML names. */
function claimOptions(claims: Offers["claims"], chosen: string): Option[] {
  const there = claims.map((claim) => ({ value: claim.name, label: claim.name, hint: `${claim.size} ${claim.mode}` }));
  return chosen === "" || there.some((one) => one.value === chosen) ? there : [...there, { value: chosen, label: chosen }];
}

interface NewClaimFieldsProps {
  volume: VolumeForm;
  offers: Pick<Offers, "storageClasses">;
  wrong: (field: string) => string | undefined;
  set: (change: Partial<VolumeForm>) => void;
}

function NewClaimFields({ volume, offers: { storageClasses }, wrong, set }: NewClaimFieldsProps) {
  const words = useWords().notebooks;
  const preset = { value: "", label: storageClasses.preset ? words.defaultClass(storageClasses.preset) : words.noChoice };
  return (
    <FieldRow>
      <TextInput label={words.volumeName} value={volume.name} error={wrong("name")} onChange={(name) => set({ name })} />
      <TextInput label={words.volumeSize} value={volume.size} error={wrong("size")} onChange={(size) => set({ size })} />
      <Choice
        label={words.storageClass}
        options={[preset, ...storageClasses.names.map((name) => ({ value: name, label: name }))]}
        value={volume.storageClass}
        onChange={(storageClass) => set({ storageClass })}
      />
      <Choice label={words.accessMode} options={MODES.map((mode) => ({ value: mode, label: mode }))} value={volume.mode} onChange={(mode) => set({ mode })} />
    </FieldRow>
  );
}
