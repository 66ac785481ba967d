import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { stringify } from "yaml";
import { createVolume, useClaims, useStorageClasses } from "../../api/desk";
import { messageOf } from "../../api/errors";
import { useObjects } from "../../api/hooks";
import { useNamespace } from "../../api/namespace";
import { rightTo, useRights } from "../../api/rights";
import { MODES } from "../../kinds/volumeForm";
import { CLAIMS, SNAPSHOTS, creationBody, creationErrors, creationManifest, volumePath, type VolumeCreation } from "../../kinds/volumes";
import { Button } from "../../parts/button/Button";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { Choice } from "../../parts/field/Choice";
import { TextInput } from "../../parts/field/TextInput";
import { CardChoice } from "../../parts/form/CardChoice";
import { ButtonRow, FieldRow, Form, Section } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { Page } from "../../parts/page/Page";
import { useWords } from "../../words";

const TYPES = ["empty", "snapshot", "clone"] as const;
const DEFAULT_CLASS = "{empty}";
const NO_CLASS = "{none}";

/** The form of a new volume; `?type=`, `?source=` and `?snapshot=` fill it in. */
export function NewVolume() {
  const words = useWords().volumes;
  const { forNew } = useNamespace();
  const search: { type?: string; source?: string; snapshot?: string } = useSearch({ strict: false });
  const classes = useStorageClasses().data ?? { names: [], preset: "" };
  const claims = useClaims(forNew).data ?? [];
  const snapshots = useObjects(forNew === "" ? undefined : SNAPSHOTS, { namespace: forNew }).data ?? [];
  const type = TYPES.find((one) => one === search.type) ?? "empty";
  return (
    <Page title={words.newTitle} sentence={words.newSentence} parent={{ to: "/volumes/", label: words.title }}>
      <VolumeCreationForm
        namespace={forNew}
        start={{ type, source: search.source ?? "", snapshot: search.snapshot ?? "" }}
        classes={classes}
        claims={claims.map((claim) => claim.name)}
        snapshots={snapshots.map((one) => one.metadata.name)}
      />
    </Page>
  );
}

interface VolumeCreationFormProps {
  namespace: string;
  start: Pick<VolumeCreation, "type" | "source" | "snapshot">;
  classes: { names: string[]; preset: string };
  claims: string[];
  snapshots: string[];
}

export function VolumeCreationForm({ namespace, start, classes, claims, snapshots }: VolumeCreationFormProps) {
  const words = useWords();
  const own = words.volumes;
  const { form, change, errors, hasTried, busy, refusal, create } = useVolumeForm(namespace, start, claims);
  const missing = useRights(namespace)(rightTo("create", CLAIMS, namespace));
  const wrong = (field: string) => {
    const error = errors[field];
    return error === undefined || (error === "required" && !hasTried) ? undefined : own.errors[error];
  };
  const names = (all: string[]) => all.map((value) => ({ value, label: value }));
  return (
    <Form label={own.newTitle} onSubmit={create}>
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
          options={[{ value: DEFAULT_CLASS, label: own.defaultClass(classes.preset) }, ...names(classes.names), { value: NO_CLASS, label: own.noClass }]}
          value={form.storageClass}
          onChange={(storageClass) => change({ storageClass })}
        />
        <Choice label={own.modes} options={MODES.map((value) => ({ value, label: own.modeNames[value] ?? value }))} value={form.mode} onChange={(mode) => change({ mode })} />
      </FieldRow>
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal} />}
      <ButtonRow>
        <Button type="submit" look="primary" label={words.common.create} busy={busy} missing={missing} />
        <ButtonLink to="/volumes/" look="quiet">
          {words.common.cancel}
        </ButtonLink>
        <CommandHint lines={[`kubectl apply -f - <<'EOF'\n${stringify(creationManifest(form, namespace))}EOF`]} />
      </ButtonRow>
    </Form>
  );
}

function useVolumeForm(namespace: string, start: VolumeCreationFormProps["start"], used: string[]) {
  const words = useWords().volumes;
  const navigate = useNavigate();
  const toast = useToast();
  const [form, setForm] = useState<VolumeCreation>({ name: "", storageClass: DEFAULT_CLASS, mode: "ReadWriteOnce", size: "10Gi", ...start });
  const [hasTried, setHasTried] = useState(false);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const errors = creationErrors(form, used);
  const change = (changed: Partial<VolumeCreation>) => {
    setForm((before) => ({ ...before, ...changed }));
    setRefusal(undefined);
  };
  const create = () => {
    setHasTried(true);
    if (Object.keys(errors).length > 0 || busy) return;
    setBusy(true);
    createVolume(namespace, creationBody(form))
      .then(() => {
        toast({ text: words.created(form.name) });
        void navigate({ to: volumePath({ namespace, name: form.name }) });
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  return { form, change, errors, hasTried, busy, refusal, create };
}
