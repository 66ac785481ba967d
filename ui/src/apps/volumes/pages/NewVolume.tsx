import { useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useClaims, useStorageClasses } from "../api/volumes";
import { useObjects } from "../../../api/hooks";
import { useNamespace } from "../../../api/namespace";
import { rightTo, useRights } from "../../../api/rights";
import { setField, textOfObjects } from "../../../kinds/manifest";
import { DEFAULT_CLASS, NO_CLASS, VOLUME_LENS, initialVolume, volumeObjects } from "../kinds/volumeManifest";
import { MODES, CLAIMS, SNAPSHOTS, creationErrors, volumePath, type VolumeCreation } from "../kinds/volumes";
import { Choice } from "../../../parts/field/Choice";
import { TextInput } from "../../../parts/field/TextInput";
import { CardChoice } from "../../../parts/form/CardChoice";
import { FieldRow, Section } from "../../../parts/form/Form";
import type { Look } from "../../../parts/form/FormAndYaml";
import { MoreFields } from "../../../parts/form/MoreFields";
import { useLook } from "../../../parts/form/useLook";
import { Page } from "../../../parts/page/Page";
import { useManifest } from "../../../parts/yaml/useManifest";
import { useManifestForm } from "../../../parts/yaml/useManifestForm";
import { useWords } from "../../../words";
import { CreationForm } from "../../../pages/objects/CreationForm";
import { NO_PROBLEMS, useCreation } from "../../../pages/objects/useCreation";

const TYPES = ["empty", "snapshot", "clone"] as const;

/** The form of a new volume; `?type=`, `?source=` and `?snapshot=` fill it in. */
export function NewVolume() {
  const words = useWords().volumes;
  const { forNew } = useNamespace();
  const search: { type?: string; source?: string; snapshot?: string } = useSearch({ strict: false });
  const classes = useStorageClasses().data ?? { names: [], preset: "" };
  const claims = useClaims(forNew).data ?? [];
  const snapshots = useObjects(forNew === "" ? undefined : SNAPSHOTS, { namespace: forNew }).data ?? [];
  const [look, setLook] = useLook();
  const type = TYPES.find((one) => one === search.type) ?? "empty";
  return (
    <Page title={words.newTitle} sentence={words.newSentence} parent={{ to: "/volumes/", label: words.title }}>
      <VolumeCreationForm
        namespace={forNew}
        start={{ type, source: search.source ?? "", snapshot: search.snapshot ?? "" }}
        classes={classes}
        claims={claims.map((claim) => claim.name)}
        snapshots={snapshots.map((one) => one.metadata.name)}
        look={look}
        onLook={setLook}
      />
    </Page>
  );
}

interface VolumeCreationFormProps {
  namespace: string;
  start: Partial<VolumeCreation>;
  classes: { names: string[]; preset: string };
  claims: string[];
  snapshots: string[];
  look: Look;
  onLook: (look: Look) => void;
}

export function VolumeCreationForm({ namespace, start, classes, claims, snapshots, look, onLook }: VolumeCreationFormProps) {
  const words = useWords();
  const own = words.volumes;
  const [initial] = useState<VolumeCreation>({ ...initialVolume, ...start });
  const manifest = useManifest(useMemo(() => textOfObjects(volumeObjects(initial)), [initial]), true);
  const { form, change } = useManifestForm(manifest, VOLUME_LENS, initial);
  const [hasTried, setHasTried] = useState(false);
  const creation = useCreation(CLAIMS, namespace, { said: own.created, pageOf: volumePath });
  const missing = useRights(namespace)(rightTo("create", CLAIMS, namespace));
  const errors = creationErrors(form, claims);
  const problems = creation.refusal?.problems ?? NO_PROBLEMS;
  const wrong = (field: string) => {
    const error = errors[field];
    return error === undefined || (error === "required" && !hasTried) ? undefined : own.errors[error];
  };
  const names = (all: string[]) => all.map((value) => ({ value, label: value }));
  const create = () => {
    setHasTried(true);
    if (!creation.busy && (look === "yaml" || Object.keys(errors).length === 0)) creation.create(manifest.objects);
  };
  return (
    <CreationForm
      label={own.newTitle}
      look={look}
      onLook={onLook}
      manifest={manifest}
      namespace={namespace}
      creation={creation}
      missing={missing}
      submit={words.common.create}
      onSubmit={create}
      cancelTo="/volumes/"
    >
      <FieldRow>
        <TextInput label={words.common.name} value={form.name} autoFocus required error={wrong("name")} onChange={(name) => change({ name })} />
        <TextInput label={own.size} value={form.size} error={wrong("size")} onChange={(size) => change({ size })} />
      </FieldRow>
      <Section title={own.content}>
        <CardChoice label={own.content} options={TYPES.map((value) => ({ value, label: own.types[value], hint: own.typeHints[value] }))} value={form.type} onChange={(type) => change({ type })} />
        {form.type === "clone" && <Choice label={own.source} options={names(claims)} value={form.source} hint={wrong("source")} onChange={(source) => change({ source })} />}
        {form.type === "snapshot" && (
          <Choice label={own.snapshotLabel} options={names(snapshots)} value={form.snapshot} hint={wrong("snapshot")} onChange={(snapshot) => change({ snapshot })} />
        )}
      </Section>
      <FieldRow>
        <Choice
          label={own.class}
          options={[{ value: DEFAULT_CLASS, label: own.defaultClass(classes.preset) }, ...names(withOwn(classes.names, form.storageClass)), { value: NO_CLASS, label: own.noClass }]}
          value={form.storageClass}
          onChange={(storageClass) => change({ storageClass })}
        />
        <Choice label={own.modes} options={withOwn(MODES, form.mode).map((value) => ({ value, label: own.modeNames[value] ?? value }))} value={form.mode} onChange={(mode) => change({ mode })} />
      </FieldRow>
      <MoreFields
        title={words.editing.more}
        hint={words.editing.moreHint}
        object={manifest.objects[0] ?? {}}
        problems={problems}
        onSet={(path, value) => void manifest.edit((documents) => documents[0] && setField(documents[0], path, value))}
      />
    </CreationForm>
  );
}

/** The choices with the one that is made, which the YAML may have made otherwise. */
const withOwn = (names: string[], chosen: string): string[] => (chosen === "" || chosen === DEFAULT_CLASS || chosen === NO_CLASS || names.includes(chosen) ? names : [...names, chosen]);
