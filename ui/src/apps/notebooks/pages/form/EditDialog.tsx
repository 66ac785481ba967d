import { useState } from "react";
import { usePodDefaults, useSpawnerConfig } from "../../api/notebooks";
import { useClaims } from "../../../volumes/api/volumes";
import { messageOf } from "../../../../api/errors";
import { patchObject } from "../../../../api/k8s";
import { notebookEditCommand } from "../../kinds/notebookCommands";
import type { Notebook } from "../../../../kinds/generated";
import { editErrors, editOf, editPatch, type NotebookEdit } from "../../kinds/notebookEdit";
import { GPU_COUNTS } from "../../kinds/notebookForm";
import { NOTEBOOKS } from "../../kinds/notebooks";
import { Button } from "../../../../parts/button/Button";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { Check } from "../../../../parts/field/Check";
import { Choice } from "../../../../parts/field/Choice";
import { TextInput } from "../../../../parts/field/TextInput";
import { ButtonRow, FieldBox, FieldRow, Form, Section } from "../../../../parts/form/Form";
import { DialogBox } from "../../../../parts/overlay/DialogBox";
import { useToast } from "../../../../parts/overlay/toasts";
import { useWords } from "../../../../words";
import { Refusal } from "../../../../pages/details/Refusal";
import { Configurations } from "../../parts/Configurations";
import type { Offers } from "./formProps";

interface EditDialogProps {
  notebook: Notebook;
  isStopped: boolean;
  isOpen: boolean;
  onClose: () => void;
}

/** CPU, memory, GPUs, image, configurations and volumes of a notebook that exists. */
export function EditDialog({ notebook, isStopped, isOpen, onClose }: EditDialogProps) {
  const words = useWords().notebooks.details;
  const namespace = notebook.metadata.namespace ?? "";
  const config = useSpawnerConfig().data;
  const podDefaults = usePodDefaults(isOpen ? namespace : "").data;
  const claims = useClaims(isOpen ? namespace : "").data;
  return (
    <DialogBox title={words.edit(notebook.metadata.name)} isOpen={isOpen} onClose={onClose} wide>
      {config === undefined || podDefaults === undefined || claims === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <EditForm notebook={notebook} isStopped={isStopped} offers={{ config, podDefaults, claims }} onClose={onClose} />
      )}
    </DialogBox>
  );
}

interface EditFormProps {
  notebook: Notebook;
  isStopped: boolean;
  offers: Pick<Offers, "config" | "podDefaults" | "claims">;
  onClose: () => void;
}

export function EditForm({ notebook, isStopped, offers, onClose }: EditFormProps) {
  const words = useWords();
  const own = words.notebooks;
  const toast = useToast();
  const vendors = offers.config.gpus.value.vendors.map((vendor) => vendor.limitsKey);
  const labels = offers.podDefaults.map((one) => one.label).filter((label) => label !== "");
  // What is edited is the notebook as it was when the dialog was opened; a newer one is refused by its version.
  const [original] = useState(notebook);
  const [edit, setEdit] = useState<NotebookEdit>(() => editOf(original, vendors, labels));
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const errors = editErrors(edit);
  const { name, namespace = "" } = original.metadata;
  const patch = editPatch(original, edit, vendors, labels);
  const change = (changed: Partial<NotebookEdit>) => setEdit((before) => ({ ...before, ...changed }));
  const save = () => {
    if (Object.keys(errors).length > 0 || busy) return;
    setBusy(true);
    patchObject(NOTEBOOKS, { namespace, name }, patch)
      .then(() => {
        toast({ text: own.details.saved(name) });
        onClose();
      })
      .catch((error: unknown) => setRefusal(messageOf(error)))
      .finally(() => setBusy(false));
  };
  const text = (field: "image" | "cpu" | "memory" | "cpuLimit" | "memoryLimit", label: string) => (
    <TextInput label={label} value={edit[field]} error={errors[field] && own.errors[errors[field]]} onChange={(value) => change({ [field]: value })} />
  );
  return (
    <Form label={own.details.edit(original.metadata.name)} onSubmit={save}>
      <WhyCard state={isStopped ? "stopped" : "waiting"} sentence={isStopped ? own.details.editStopped : own.details.editRestarts} />
      {text("image", own.image)}
      <FieldRow>
        {text("cpu", own.cpuMin)}
        {text("cpuLimit", own.cpuMax)}
      </FieldRow>
      <FieldRow>
        {text("memory", own.details.memoryMin)}
        {text("memoryLimit", own.details.memoryMax)}
      </FieldRow>
      <FieldRow>
        <Choice
          label={own.gpuCount}
          options={[...new Set([...GPU_COUNTS, edit.gpus])].map((value) => ({ value, label: value === "none" ? words.common.none : value }))}
          value={edit.gpus}
          onChange={(gpus) => change({ gpus, vendor: edit.vendor === "" ? (vendors[0] ?? "") : edit.vendor })}
        />
        {edit.gpus !== "none" && (
          <Choice
            label={own.gpuVendor}
            options={offers.config.gpus.value.vendors.map((vendor) => ({ value: vendor.limitsKey, label: vendor.uiName }))}
            value={edit.vendor}
            onChange={(vendor) => change({ vendor })}
          />
        )}
      </FieldRow>
      <Section title={own.details.volumes}>
        <ClaimFields edit={edit} errors={errors} claims={offers.claims} onChange={(claims) => change({ claims })} />
      </Section>
      <Section title={own.configurations}>
        <Configurations podDefaults={offers.podDefaults} chosen={edit.configurations} onChange={(configurations) => change({ configurations })} />
      </Section>
      {refusal !== undefined && <Refusal message={refusal} about={{ kind: NOTEBOOKS.kind, namespace, name }} />}
      <ButtonRow>
        <Button type="submit" look="primary" busy={busy} label={isStopped ? words.common.save : own.details.saveAndRestart} />
        <Button look="quiet" label={words.common.cancel} onPress={onClose} />
        <CommandHint lines={[notebookEditCommand({ namespace, name }, patch)]} />
      </ButtonRow>
    </Form>
  );
}

interface ClaimFieldsProps {
  edit: NotebookEdit;
  errors: ReturnType<typeof editErrors>;
  claims: Offers["claims"];
  onChange: (claims: NotebookEdit["claims"]) => void;
}

function ClaimFields({ edit, errors, claims, onChange }: ClaimFieldsProps) {
  const own = useWords().notebooks;
  const set = (index: number, change: Partial<NotebookEdit["claims"][number]>) =>
    onChange(edit.claims.map((one, other) => (other === index ? { ...one, ...change } : one)));
  const wrong = (field: string) => errors[field] && own.errors[errors[field]];
  return (
    <>
      {edit.claims.map((one, index) => (
        <FieldBox key={index} label={one.claim}>
          <FieldRow>
            <Choice
              label={own.claim}
              options={[...new Set([one.claim, ...claims.map((claim) => claim.name)])].filter((name) => name !== "").map((name) => ({ value: name, label: name }))}
              value={one.claim}
              hint={wrong(`claims.${index}.claim`)}
              onChange={(claim) => set(index, { claim })}
            />
            <TextInput label={own.mount} value={one.mount} error={wrong(`claims.${index}.mount`)} onChange={(mount) => set(index, { mount })} />
          </FieldRow>
          <ButtonRow>
            <Check label={own.readOnly} checked={one.readOnly} onChange={(readOnly) => set(index, { readOnly })} />
            <Button small look="quiet" icon="trash" label={own.details.unmount(one.claim)} onPress={() => onChange(edit.claims.filter((_, other) => other !== index))} />
          </ButtonRow>
        </FieldBox>
      ))}
      <ButtonRow>
        <Button icon="plus" label={own.details.addVolume} onPress={() => onChange([...edit.claims, { claim: "", mount: "/home/jovyan/data", readOnly: false }])} />
      </ButtonRow>
    </>
  );
}
