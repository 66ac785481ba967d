import { useMemo, useState } from "react";
import { parse, stringify } from "yaml";
import { ApiError, messageOf } from "../../api/errors";
import { replaceObject, type ObjectMeta, type Resource } from "../../api/k8s";
import { rightTo, useRights } from "../../api/rights";
import { Button } from "../../parts/button/Button";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { Segments } from "../../parts/field/Segments";
import { ButtonRow } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { Stack } from "../../parts/page/Page";
import type { FieldProblem } from "../../parts/yaml/positions";
import { YamlEditor } from "../../parts/yaml/YamlEditor";
import { useWords } from "../../words";

interface YamlObject {
  resource: Resource;
  object: { metadata: Pick<ObjectMeta, "name" | "namespace"> };
}

/** One or several objects as YAML; those with the right edit and save them. */
export function ObjectYaml({ objects }: { objects: YamlObject[] }) {
  const words = useWords().viewers.yaml;
  const [chosen, choose] = useState("");
  const shown = objects.find((one) => one.resource.kind === chosen) ?? objects[0];
  if (shown === undefined) return null;
  const { kind } = shown.resource;
  return (
    <Stack>
      {objects.length > 1 && (
        <Segments label={words.object} options={objects.map(({ resource }) => ({ value: resource.kind, label: resource.kind }))} value={kind} onChange={choose} />
      )}
      <Editor key={`${kind}/${shown.object.metadata.name}`} resource={shown.resource} object={shown.object} />
    </Stack>
  );
}

/** Saved as a whole, so that a change that another user made meanwhile is not lost: the server refuses it then. */
function Editor({ resource, object }: YamlObject) {
  const { viewers, common } = useWords();
  const words = viewers.yaml;
  const toast = useToast();
  const { name, namespace = "" } = object.metadata;
  const missing = useRights(namespace || "default")(rightTo("update", resource, namespace, name));
  const original = useMemo(() => stringify(object, { lineWidth: 0 }), [object]);
  const [draft, setDraft] = useState<{ text: string; from: string }>();
  const [refusal, setRefusal] = useState<{ message: string; problems: FieldProblem[] }>();
  const [busy, setBusy] = useState(false);
  const text = draft?.text ?? original;
  const isChanged = draft !== undefined && draft.text !== original;
  const reset = () => {
    setDraft(undefined);
    setRefusal(undefined);
  };
  const save = () => {
    setBusy(true);
    // Reading the text may fail too, which is shown in the same place.
    Promise.resolve()
      .then(() => replaceObject(resource, { namespace, name }, parse(text)))
      .then(() => {
        reset();
        toast({ text: words.saved(name) });
      })
      .catch((error: unknown) => setRefusal({ message: messageOf(error), problems: error instanceof ApiError ? error.causes : [] }))
      .finally(() => setBusy(false));
  };
  const change = (next: string) => setDraft((before) => ({ text: next, from: before?.from ?? original }));
  const type = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return (
    <>
      {missing !== undefined && <p>{words.readOnly(missing)}</p>}
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal.message} />}
      {isChanged && draft.from !== original && <WhyCard state="waiting" sentence={words.changedMeanwhile(name)} />}
      <YamlEditor label={`${common.yaml}: ${name}`} value={text} problems={refusal?.problems ?? []} fold onChange={missing === undefined ? change : undefined} />
      <ButtonRow>
        {missing === undefined && <Button look="primary" label={common.save} busy={busy} disabledReason={isChanged ? undefined : words.unchanged} onPress={save} />}
        {isChanged && <Button label={words.revert} onPress={reset} />}
        <CommandHint lines={[`kubectl edit ${type} ${name}${namespace === "" ? "" : ` -n ${namespace}`}`]} />
      </ButtonRow>
    </>
  );
}
