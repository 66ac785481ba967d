import { useMemo, useState } from "react";
import { parse, stringify } from "yaml";
import type { ObjectMeta, Resource } from "../../api/k8s";
import { useSchemas } from "../../api/openapi";
import { rightTo, useRights } from "../../api/rights";
import { Button } from "../../parts/button/Button";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { Segments } from "../../parts/field/Segments";
import { ButtonRow } from "../../parts/form/Form";
import { Stack } from "../../parts/page/Page";
import { YamlEditor } from "../../parts/yaml/YamlEditor";
import { useWords } from "../../words";
import { clashesOf, rebase } from "./rebase";
import { useSaving, type Draft } from "./useSaving";

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
  const { name, namespace = "" } = object.metadata;
  const missing = useRights(namespace || "default")(rightTo("update", resource, namespace, name));
  // Only who edits needs them: they are large.
  const schemas = useSchemas(missing === undefined ? [resource.group === "" ? resource.version : `${resource.group}/${resource.version}`] : []);
  const original = useMemo(() => stringify(object, { lineWidth: 0 }), [object]);
  const [draft, setDraft] = useState<Draft>();
  const saving = useSaving(resource, { namespace, name }, () => setDraft(undefined));
  const text = draft?.text ?? original;
  const isChanged = draft !== undefined && draft.text !== original;
  const clashes = useMemo(() => (draft === undefined || draft.base === object ? [] : clashesOf(draft.base, understood(draft.text) ?? draft.base, object)), [draft, object]);
  const reset = () => {
    setDraft(undefined);
    saving.forget();
  };
  const keepMine = () => setDraft(draft && { text: stringify(rebase(draft.base, parse(draft.text), object), { lineWidth: 0 }), base: object });
  // The editor also reports the text that it was given: what the server has changed is no edit.
  const change = (next: string) => {
    if (next !== text) setDraft((before) => ({ text: next, base: before?.base ?? object }));
  };
  const type = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  return (
    <>
      {missing !== undefined && <p>{words.readOnly(missing)}</p>}
      {saving.refusal !== undefined && <WhyCard state="failed" sentence={saving.refusal.message} />}
      {clashes.length > 0 && (
        <WhyCard
          state="waiting"
          sentence={words.clash(name)}
          detail={clashes.join(", ")}
          action={
            <>
              <Button label={words.keepMine} onPress={keepMine} />
              <Button label={words.takeTheirs} onPress={reset} />
            </>
          }
        />
      )}
      <YamlEditor label={`${common.yaml}: ${name}`} value={text} problems={saving.refusal?.problems ?? []} schemas={schemas} fold onChange={missing === undefined ? change : undefined} />
      <ButtonRow>
        {missing === undefined && (
          <Button
            look="primary"
            label={common.save}
            busy={saving.busy}
            disabledReason={!isChanged ? words.unchanged : clashes.length > 0 ? words.clash(name) : undefined}
            onPress={() => draft && saving.save(draft, object)}
          />
        )}
        {isChanged && <Button label={words.revert} onPress={reset} />}
        <CommandHint lines={[`kubectl edit ${type} ${name}${namespace === "" ? "" : ` -n ${namespace}`}`]} />
      </ButtonRow>
    </>
  );
}

/** The object that a text describes; undefined while it cannot be read. */
function understood(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
