import type { ReactNode } from "react";
import { Cached } from "../../gallery/Cached";
import { parseManifest, setField } from "../../kinds/manifest";
import { useManifest } from "../yaml/useManifest";
import { FormAndYaml, type Look } from "./FormAndYaml";
import { MoreFields } from "./MoreFields";
import { ObjectForm } from "./ObjectForm";
import type { Components } from "./schema";

export const title = "Form and YAML";

const TEXT = `apiVersion: example.io/v1
kind: Widget
metadata:
  name: dial
spec:
  size: 3 # inches
  # Where it is drawn.
  containers:
    - name: face
      image: registry.example/face:1
`;
const BROKEN = TEXT.replace("  size: 3", "   size: [3");
const WRONG = TEXT.replace("size: 3", "sise: 3").replace("name: face", "name: 7");

const WIDGETS: Components = {
  "io.example.v1.Widget": {
    type: "object",
    properties: {
      metadata: { type: "object", properties: { name: { type: "string" }, labels: { type: "object", additionalProperties: { type: "string" } }, annotations: { type: "object", additionalProperties: { type: "string" } } } },
      spec: {
        type: "object",
        required: ["size", "containers"],
        properties: {
          size: { type: "integer", description: "How large it is, in inches." },
          policy: { type: "string", enum: ["Always", "Never"], default: "Always", description: "When it is drawn again." },
          containers: { type: "array", description: "What draws it.", items: { type: "object", required: ["name"], properties: { name: { type: "string" }, image: { type: "string" }, args: { type: "array", items: { type: "string" } } } } },
          options: { type: "object", "x-kubernetes-preserve-unknown-fields": true, description: "Anything." },
        },
      },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.io", version: "v1", kind: "Widget" }],
  } as Components[string],
};
const RESOURCE = { group: "example.io", version: "v1", resource: "widgets", kind: "Widget", namespaced: true };
const nothing = () => undefined;

function Both({ text = TEXT, look = "form", beside = false, broken }: { text?: string; look?: Look; beside?: boolean; broken?: string }) {
  const manifest = useManifest(text);
  const shown = broken === undefined ? manifest : { ...manifest, text: broken, problem: parseManifest(broken).problem };
  const form = (
    <ObjectForm
      object={manifest.objects[0] ?? {}}
      resource={RESOURCE}
      components={WIDGETS}
      problems={[]}
      onSet={(path, value) => void manifest.edit((documents) => documents[0] && setField(documents[0], path, value))}
    />
  );
  return (
    <Cached answers={[[["openapi", "example.io", "v1"], WIDGETS]]}>
      <FormAndYaml look={look} onLook={nothing} manifest={shown} problems={[]} beside={beside}>
        {form}
      </FormAndYaml>
    </Cached>
  );
}

export const stories: Record<string, () => ReactNode> = {
  form: () => <Both />,
  yaml: () => <Both look="yaml" />,
  "yaml, marked by the schema": () => <Both look="yaml" text={WRONG} />,
  "yaml that cannot be read": () => <Both look="yaml" broken={BROKEN} />,
  "form of a text that cannot be read": () => <Both broken={BROKEN} />,
  "beside each other": () => <Both beside />,
  "beside each other, a text that cannot be read": () => <Both beside broken={BROKEN} />,
  "all fields, closed": () => <MoreFields title="All fields" hint="Everything that this kind has, from its schema." object={parseManifest(TEXT).objects[0] ?? {}} problems={[]} onSet={nothing} />,
};
