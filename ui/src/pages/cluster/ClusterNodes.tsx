import { useMemo } from "react";
import type { ClusterNode } from "../../kinds/generated";
import { coresText } from "../../kinds/quantities";
import { Facts } from "../../parts/card/Card";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { bytes } from "../../parts/text/sizes";
import { useWords } from "../../words";
import { NodeCard, NodeGrid } from "../details/Nodes";

/** Each node: what is requested on it, what is in use, what it runs, and what is wrong with it. */
export function ClusterNodes({ nodes }: { nodes: ClusterNode[] }) {
  const rows = useMemo(() => nodes.map((node) => node.row), [nodes]);
  const byName = new Map(nodes.map((node) => [node.row.name, node]));
  return (
    <NodeGrid nodes={rows}>
      {(row) => (
        <NodeCard key={row.name} node={row}>
          <NodeFacts node={byName.get(row.name)} />
        </NodeCard>
      )}
    </NodeGrid>
  );
}

function NodeFacts({ node }: { node: ClusterNode | undefined }) {
  const words = useWords().cluster;
  if (node === undefined) return null;
  const { usage, version, os, conditions } = node;
  return (
    <>
      {conditions.map((sentence) => (
        <WhyCard key={sentence} state="failed" sentence={sentence} />
      ))}
      <Facts
        rows={[
          [words.inUse, usedOf(usage)],
          [words.system, [version, os].filter(Boolean).join(" · ")],
        ]}
      />
    </>
  );
}

/** `1.2 CPU · 3.1 Gi`; nothing where nothing measures it. */
export function usedOf({ cpuCores, memoryBytes }: ClusterNode["usage"]): string {
  return [cpuCores === null ? "" : `${coresText(cpuCores)} CPU`, memoryBytes === null ? "" : bytes(memoryBytes)].filter(Boolean).join(" · ");
}
