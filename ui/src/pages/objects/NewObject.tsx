import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { objectPath, useResource } from "../../api/discovery";
import { messageOf } from "../../api/errors";
import type { Resource } from "../../api/k8s";
import { useNamespace } from "../../api/namespace";
import { useComponents } from "../../api/openapi";
import { rightTo, useRights } from "../../api/rights";
import { setField } from "../../kinds/manifest";
import { skeletonOf } from "../../kinds/skeleton";
import { Button } from "../../parts/button/Button";
import { CommandHint } from "../../parts/command/CommandHint";
import { Failure } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { ButtonRow } from "../../parts/form/Form";
import { FormAndYaml, problemText } from "../../parts/form/FormAndYaml";
import { ObjectForm } from "../../parts/form/ObjectForm";
import type { Components } from "../../parts/form/schema";
import { useLook } from "../../parts/form/useLook";
import { Page } from "../../parts/page/Page";
import { useManifest } from "../../parts/yaml/useManifest";
import { useWords } from "../../words";
import { NotFound } from "../NotFound";
import { NO_PROBLEMS, useCreation } from "./useCreation";

/** A new object of any kind: a form made from its schema, and YAML that begins with what the schema requires. */
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
      {data === undefined && error === null ? <Skeleton /> : <Editor resource={resource} namespace={forNew} components={data ?? NO_SCHEMAS} />}
    </Page>
  );
}

const NO_SCHEMAS: Components = {};

function Editor({ resource, namespace, components }: { resource: Resource; namespace: string; components: Components }) {
  const { common, cluster, editing } = useWords();
  const start = useMemo(() => skeletonOf(components, resource, namespace, cluster.optional), [components, resource, namespace, cluster.optional]);
  const manifest = useManifest(start, true);
  const [look, setLook] = useLook();
  const { busy, refusal, create } = useCreation(resource, namespace, { said: cluster.objectCreated, pageOf: (key) => objectPath(resource, key) });
  const missing = useRights(resource.namespaced ? namespace : "default")(rightTo("create", resource, namespace));
  const problems = refusal?.problems ?? NO_PROBLEMS;
  const actions = (
    <>
      {refusal !== undefined && <WhyCard state="failed" sentence={refusal.message} />}
      <ButtonRow>
        <Button
          look="primary"
          icon="plus"
          label={common.create}
          busy={busy}
          missing={missing}
          disabledReason={manifest.problem && problemText(manifest.problem, editing)}
          onPress={() => create(manifest.objects)}
        />
        <CommandHint lines={[`kubectl create -f - <<'EOF'\n${manifest.text}EOF`]} />
      </ButtonRow>
    </>
  );
  return (
    <FormAndYaml look={look} onLook={setLook} manifest={manifest} problems={problems} actions={actions} beside>
      <ObjectForm
        object={manifest.objects[0] ?? {}}
        resource={resource}
        components={components}
        problems={problems}
        onSet={(path, value) => void manifest.edit((documents) => documents[0] && setField(documents[0], path, value))}
      />
    </FormAndYaml>
  );
}
