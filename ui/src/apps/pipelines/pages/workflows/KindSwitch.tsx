import { useNavigate } from "@tanstack/react-router";
import { WORKFLOW_PATHS } from "../../kinds/workflows/workflows";
import { Segments } from "../../../../parts/field/Segments";
import { useWords } from "../../../../words";

/** Workflows, or the schedules that create them. */
export function KindSwitch({ current }: { current: "workflows" | "crons" }) {
  const words = useWords().workflows;
  const navigate = useNavigate();
  return (
    <Segments
      label={words.which}
      value={current}
      options={[
        { value: "workflows", label: words.title },
        { value: "crons", label: words.cron.title },
      ]}
      onChange={(next) => void navigate({ to: WORKFLOW_PATHS[next] })}
    />
  );
}
