import { useMemo } from "react";
import { stringify } from "yaml";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { YamlEditor } from "../../../../parts/yaml/YamlEditor";
import { useWords } from "../../../../words";

/** A specification as the compiler wrote it: the IR, and the platform's document after it. */
export function SpecYaml({ spec, label }: { spec: unknown; label: string }) {
  const words = useWords();
  const text = useMemo(() => specText(spec), [spec]);
  if (text === "") return <EmptyState icon="file" sentence={words.pipelines.run.noSpec} />;
  return <YamlEditor label={`${words.common.yaml}: ${label}`} value={text} />;
}

/** Two documents where there are two. Pure. */
export function specText(spec: unknown): string {
  if (typeof spec !== "object" || spec === null) return "";
  const { pipeline_spec: ir, platform_spec: platform } = spec as { pipeline_spec?: unknown; platform_spec?: unknown };
  const documents = ir === undefined ? [spec] : [ir, ...(platform === undefined ? [] : [platform])];
  return documents.map((document) => stringify(document, { lineWidth: 0 })).join("---\n");
}
