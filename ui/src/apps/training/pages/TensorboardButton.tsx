import { rightTo, useRights } from "../../../api/rights";
import type { JobView } from "../../../kinds/generated";
import { TENSORBOARDS } from "../../tensorboards/kinds/tensorboards";
import { ButtonLink } from "../../../parts/button/ButtonLink";
import { useWords } from "../../../words";

/** The TensorBoard that shows the job's volume, or the form for a new one on it. Nothing for a job without a volume. */
export function TensorboardButton({ view }: { view: JobView }) {
  const words = useWords().jobs;
  const board = view.related.find((related) => related.role === "tensorboard");
  const claim = view.related.find((related) => related.role === "claim");
  const missing = useRights(view.row.namespace)(rightTo("create", TENSORBOARDS, view.row.namespace));
  if (board === undefined && claim === undefined) return null;
  const link = board === undefined ? { to: "/tensorboards/new", search: { pvc: claim?.object.name ?? "", ns: view.row.namespace } } : { to: board.link };
  return (
    <ButtonLink {...link} icon="board" missing={board === undefined ? missing : undefined}>
      {words.tensorboard}
    </ButtonLink>
  );
}
