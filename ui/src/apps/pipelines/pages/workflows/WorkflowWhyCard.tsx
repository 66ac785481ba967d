import { useNavigate } from "@tanstack/react-router";
import type { GraphNode } from "../../kinds/graph/pipelinesGraph";
import { workflowWhy } from "../../kinds/workflows/workflowWhy";
import type { WorkflowRow } from "../../kinds/workflows/workflows";
import { Button } from "../../../../parts/button/Button";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { useWords } from "../../../../words";
import { ResumeButton } from "./ResumeButton";

/** Why it does not continue, in the words of the step that stands, and what helps. */
export function WorkflowWhyCard({ row, nodes }: { row: WorkflowRow; nodes: GraphNode[] }) {
  const words = useWords().workflows.why;
  const navigate = useNavigate();
  const why = workflowWhy(row, nodes);
  if (why === undefined) return null;
  const open = (node: GraphNode, panel?: string) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, tab: undefined, node: node.id, panel }), replace: true });
  switch (why.kind) {
    case "failed": {
      const { node } = why;
      if (node === undefined) return <WhyCard state="failed" sentence={words.failedWhole} detail={said(why.message)} />;
      const hasLog = (node.record?.pod ?? "") !== "";
      return (
        <WhyCard
          state="failed"
          sentence={words.failed(node.label)}
          detail={said(why.message)}
          action={<Button icon={hasLog ? "terminal" : "right"} label={hasLog ? words.openLogs : words.openStep} onPress={() => open(node, hasLog ? "logs" : undefined)} />}
        />
      );
    }
    case "suspended":
      return <WhyCard state="stopped" sentence={words.suspended} action={<ResumeButton row={row} />} />;
    case "paused":
      return <WhyCard state="waiting" sentence={words.paused(why.nodes.map((node) => node.label).join(", "))} action={<ResumeButton row={row} />} />;
    case "waiting":
      return <WhyCard state="waiting" sentence={words.waiting(why.node.label)} detail={said(why.message)} action={<Button icon="right" label={words.openStep} onPress={() => open(why.node)} />} />;
    case "pending":
      return <WhyCard state="waiting" sentence={words.pending} detail={said(why.message)} />;
    case "stopping":
      return <WhyCard state="stopped" sentence={words.stopping} />;
  }
}

/** What the server said, as it is. */
const said = (message: string) => (message === "" ? undefined : <span lang="en">{message}</span>);
