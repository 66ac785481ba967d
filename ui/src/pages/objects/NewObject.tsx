import { useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { parse } from "yaml";
import { objectPath, useResource } from "../../api/discovery";
import { ApiError, messageOf } from "../../api/errors";
import { createObject, type KubeObject, type Resource } from "../../api/k8s";
import { useNamespace } from "../../api/namespace";
import { useComponents } from "../../api/openapi";
import { rightTo, useRights } from "../../api/rights";
import { skeletonOf } from "../../kinds/skeleton";
import { Button } from "../../parts/button/Button";
import { CommandHint } from "../../parts/command/CommandHint";
import { Failure } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { ButtonRow } from "../../parts/form/Form";
import { useToast } from "../../parts/overlay/toasts";
import { Page, Stack } from "../../parts/page/Page";
import type { FieldProblem } from "../../parts/yaml/positions";
import { YamlEditor } from "../../parts/yaml/YamlEditor";
import { useWords } from "../../words";
import { NotFound } from "../NotFound";

/** A new object of any kind, as YAML that begins with what its schema requires. */
export function NewObject() {
  const params: { group?: string; version?: string; resource?: string } = useParams({ strict: false });
  const { data, error } = useResource(params.group ?? "", params.version ?? "", params.resource ?? "");
  if (error !== null) return <Failure message={messageOf(error)} />;
  if (data === undefined) return <Skeleton />;
  return data === null ? <NotFound /> : <NewOf resource={data} />;
}

export function NewOf({ resource }: { resource: Resource }) {
  const words = useWords().cluster;
  const { forNew } = useNamespace();
  const { data, error } = useComponents(resource.group, resource.version);
  return (
    <Page title={words.newObject(resource.kind)} sentence={words.newObjectText} parent={{ to: objectPath(resource), label: resource.kind }}>
      {data === undefined && error === null ? <Skeleton /> : <Editor resource={resource} namespace={forNew} start={skeletonOf(data ?? {}, resource, forNew, words.optional)} />}
    </Page>
  );
}

interface Creation {
  busy: boolean;
  refusal: { message: string; problems: FieldProblem[] } | undefined;
  create: (text: string) => void;
}

/** Asks the server whether it would take the object, then creates it and goes to its page. */
function useCreation(resource: Resource, namespace: string): Creation {
  const words = useWords().cluster;
  const toast = useToast();
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<Creation["refusal"]>();
  const create = async (text: string) => {
    setBusy(true);
    try {
      const object = parse(text) as KubeObject | null;
      if (object?.kind !== resource.kind) throw new Error(words.namesAnother(resource.kind));
      const target = (object.metadata as KubeObject["metadata"] | undefined)?.namespace || namespace;
      await createObject(resource, target, object, true);
      const { metadata } = await createObject(resource, target, object);
      toast({ text: words.objectCreated(metadata.name) });
      await navigate({ to: objectPath(resource, { namespace: metadata.namespace ?? "", name: metadata.name }) });
    } catch (error) {
      setRefusal({ message: messageOf(error), problems: error instanceof ApiError ? error.causes : [] });
    } finally {
      setBusy(false);
    }
  };
  return { busy, refusal, create: (text) => void create(text) };
}

function Editor({ resource, namespace, start }: { resource: Resource; namespace: string; start: string }) {
  const { common } = useWords();
  const [text, setText] = useState(start);
  const { busy, refusal, create } = useCreation(resource, namespace);
  const missing = useRights(resource.namespaced ? namespace : "default")(rightTo("create", resource, namespace));
  return (
    <Stack>
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal.message} />}
      <YamlEditor label={common.yaml} value={text} onChange={setText} problems={refusal?.problems ?? []} />
      <ButtonRow>
        <Button look="primary" icon="plus" label={common.create} busy={busy} missing={missing} onPress={() => create(text)} />
        <CommandHint lines={[`kubectl create -f - <<'EOF'\n${text}EOF`]} />
      </ButtonRow>
    </Stack>
  );
}
