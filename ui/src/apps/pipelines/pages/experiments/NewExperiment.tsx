import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { KEYS, createExperiment } from "../../api/pipelines";
import { useNamespace } from "../../../../api/namespace";
import { rightTo, useRights } from "../../../../api/rights";
import { RIGHTS } from "../../kinds/pipelines";
import { Button } from "../../../../parts/button/Button";
import { TextInput } from "../../../../parts/field/TextInput";
import { DialogBox } from "../../../../parts/overlay/DialogBox";
import { useAction } from "../../../../parts/overlay/useAction";
import { Stack } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";

/** The button and its dialog. */
export function NewExperiment() {
  const words = useWords();
  const own = words.pipelines.experiments;
  const { forNew } = useNamespace();
  const queries = useQueryClient();
  const { busy, run } = useAction();
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const missing = useRights(forNew)(rightTo("create", RIGHTS.experiments, forNew));
  const open = () => {
    setName("");
    setDescription("");
    setOpen(true);
  };
  const create = async () => {
    const done = await run(() => createExperiment({ display_name: name.trim(), description, namespace: forNew }).then(() => queries.invalidateQueries({ queryKey: KEYS.experiments })), own.created(name.trim()));
    if (done) setOpen(false);
  };
  return (
    <>
      <Button look="primary" icon="plus" label={own.new} missing={missing} onPress={open} />
      <DialogBox
        title={own.new}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        actions={
          <>
            <Button look="quiet" label={words.common.cancel} onPress={() => setOpen(false)} />
            <Button look="primary" label={words.common.create} busy={busy} disabledReason={name.trim() === "" ? words.pipelines.newRun.errors.required : undefined} onPress={() => void create()} />
          </>
        }
      >
        <Stack>
          <TextInput label={own.name} value={name} onChange={setName} autoFocus required />
          <TextInput label={words.pipelines.description} value={description} onChange={setDescription} multiline />
        </Stack>
      </DialogBox>
    </>
  );
}
