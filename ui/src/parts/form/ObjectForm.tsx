import type { FieldCause } from "../../api/errors";
import type { Resource } from "../../api/k8s";
import { dig, textOf, type ManifestObject } from "../../kinds/manifest";
import { useWords } from "../../words";
import { Card } from "../card/Card";
import { TextInput } from "../field/TextInput";
import { MetadataFields } from "./MetadataFields";
import styles from "./SchemaForm.module.css";
import { SchemaForm, memberOf, type FormPath } from "./SchemaForm";
import { fieldsOfSchema, problemAt, resolve, schemaOfKind, type Components } from "./schema";

interface ObjectFormProps {
  object: ManifestObject;
  resource: Resource;
  components: Components;
  problems: FieldCause[];
  onSet: (path: FormPath, value: unknown) => void;
}

/** Edited by controls of their own, or by nobody. */
const OWN = ["apiVersion", "kind", "metadata", "status"];

/** Everything that an object of any kind has, from its schema: its name, its `spec` opened, and the rest. */
export function ObjectForm({ object, resource, components, problems, onSet }: ObjectFormProps) {
  const { common, editing } = useWords();
  const schema = schemaOfKind(components, resource.group, resource.version, resource.kind);
  const own = schema && resolve(schema, components);
  const spec = own?.properties?.["spec"];
  const rest = own === undefined ? [] : fieldsOfSchema(own, components).filter((field) => ![...OWN, "spec"].includes(field.name));
  const context = { components, problems, onSet };
  return (
    <Card>
      <div className={styles.fields}>
        <TextInput
          label={common.name}
          required
          value={textOf(dig(object, "metadata", "name"))}
          error={problemAt(problems, ["metadata", "name"])}
          onChange={(name) => onSet(["metadata", "name"], name)}
        />
        {own !== undefined && <MetadataFields schema={own} object={object} {...context} />}
        {own === undefined && <p className={styles.hint}>{editing.noSchema}</p>}
        {own !== undefined && rest.length > 0 && <SchemaForm schema={own} value={object} path={[]} omit={[...OWN, "spec"]} unfold {...context} />}
        {spec !== undefined && (
          <fieldset>
            <legend className={styles.part}>spec</legend>
            <SchemaForm schema={spec} value={memberOf(object, "spec")} path={["spec"]} unfold {...context} />
          </fieldset>
        )}
      </div>
    </Card>
  );
}
