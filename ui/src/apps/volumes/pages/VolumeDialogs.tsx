import { useState } from "react";
import { resizeVolume } from "../api/volumes";
import { messageOf } from "../../../api/errors";
import { createObject } from "../../../api/k8s";
import type { About } from "../../../api/warnings";
import { resizeCommand, snapshotCommand, snapshotManifest, snapshotName } from "../kinds/volumeCommands";
import type { VolumeRow } from "../../../kinds/generated";
import { CLAIMS, SNAPSHOTS, VOLUME_NAME, resizeError } from "../kinds/volumes";
import { Button } from "../../../parts/button/Button";
import { CommandLines } from "../../../parts/command/CommandHint";
import { TextInput } from "../../../parts/field/TextInput";
import { DialogBox } from "../../../parts/overlay/DialogBox";
import { useToast } from "../../../parts/overlay/toasts";
import { useWords } from "../../../words";
import { Refusal } from "../../../pages/details/Refusal";

interface AskDialogProps {
  title: string;
  label: string;
  initial: string;
  errorOf: (value: string) => string | undefined;
  commandOf: (value: string) => string;
  action: string;
  /** The volume. */
  about: About;
  onRun: (value: string) => Promise<unknown>;
  done: (value: string) => string;
  onClose: () => void;
}

/** One value, and what the server says to it. */
function AskDialog({ title, label, initial, errorOf, commandOf, action, about, onRun, done, onClose }: AskDialogProps) {
  const words = useWords().common;
  const toast = useToast();
  const [value, setValue] = useState(initial);
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<string>();
  const error = errorOf(value);
  const run = () => {
    setBusy(true);
    onRun(value)
      .then(() => {
        toast({ text: done(value) });
        onClose();
      })
      .catch((problem: unknown) => setRefusal(messageOf(problem)))
      .finally(() => setBusy(false));
  };
  return (
    <DialogBox
      title={title}
      isOpen
      onClose={onClose}
      actions={
        <>
          <Button label={words.cancel} look="quiet" onPress={onClose} />
          <Button label={action} look="primary" busy={busy} disabledReason={error} onPress={run} />
        </>
      }
    >
      <TextInput label={label} value={value} autoFocus error={value === initial ? undefined : error} onChange={setValue} />
      {refusal !== undefined && <Refusal message={refusal} about={about} />}
      <CommandLines lines={[commandOf(value)]} />
    </DialogBox>
  );
}

export function ResizeDialog({ row, onClose }: { row: VolumeRow; onClose: () => void }) {
  const words = useWords().volumes;
  return (
    <AskDialog
      title={words.resizeTitle(row.name)}
      label={words.newSize}
      initial={row.capacity}
      errorOf={(size) => {
        const error = resizeError(size, row.capacityBytes);
        return error && words.errors[error];
      }}
      commandOf={(size) => resizeCommand(row, size)}
      action={words.resize}
      about={{ ...row, kind: CLAIMS.kind }}
      onRun={(size) => resizeVolume(row, size)}
      done={(size) => words.resized(row.name, size)}
      onClose={onClose}
    />
  );
}

export function SnapshotDialog({ row, onClose }: { row: VolumeRow; onClose: () => void }) {
  const words = useWords().volumes;
  return (
    <AskDialog
      title={words.snapshot}
      label={words.snapshotName}
      initial={snapshotName(row, new Date())}
      errorOf={(name) => (VOLUME_NAME.test(name) ? undefined : words.errors.nameCharacters)}
      commandOf={(name) => snapshotCommand(row, name)}
      action={words.snapshot}
      about={{ ...row, kind: CLAIMS.kind }}
      onRun={(name) => createObject(SNAPSHOTS, row.namespace, snapshotManifest(row, name))}
      done={words.snapshotTaken}
      onClose={onClose}
    />
  );
}
