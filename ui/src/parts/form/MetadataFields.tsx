import type { ManifestObject } from "../../kinds/manifest";
import { useWords } from "../../words";
import { Fold } from "./Fold";
import { resolve, type Schema } from "./schema";
import { SchemaForm, type FormContext } from "./SchemaForm";

interface MetadataFieldsProps extends FormContext {
  /** Of the object's kind. */
  schema: Schema;
  object: ManifestObject;
}

const SHOWN = ["labels", "annotations"];

/** What every object has beside its name, and people write. */
export function MetadataFields({ schema, object, ...context }: MetadataFieldsProps) {
  const words = useWords().editing;
  const own = resolve(schema, context.components).properties?.["metadata"];
  const metadata = own && resolve(own, context.components);
  if (metadata?.properties === undefined) return null;
  const others = Object.keys(metadata.properties).filter((name) => !SHOWN.includes(name));
  return (
    <Fold label={words.metadata}>
      <SchemaForm schema={metadata} value={object["metadata"]} path={["metadata"]} omit={others} {...context} />
    </Fold>
  );
}
