import { useNavigate } from "@tanstack/react-router";
import { createTensorboard } from "../../../tensorboards/api/tensorboards";
import { ApiError } from "../../../../api/errors";
import { useObject } from "../../../../api/hooks";
import { rightTo, useRights } from "../../../../api/rights";
import { boardOf, logsOf } from "../../kinds/pipelinesTensorboard";
import { TENSORBOARDS, boardPath } from "../../../tensorboards/kinds/tensorboards";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { useAction } from "../../../../parts/overlay/useAction";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

const ALREADY_EXISTS = 409;

/** A TensorBoard over the logs that a task of a v1 run names: one for each place, made once. */
export function V1Tensorboard({ source, namespace }: { source: string; namespace: string }) {
  const words = useWords().pipelines.metrics;
  const navigate = useNavigate();
  const { run, busy } = useAction();
  const missing = useRights(namespace)(rightTo("create", TENSORBOARDS, namespace));
  const logs = logsOf(source);
  const name = boardOf(source);
  const existing = useObject(namespace === "" || logs === undefined ? undefined : TENSORBOARDS, namespace, name).data;
  if (logs === undefined) return <p className={styles.quiet}>{words.noLogs(source)}</p>;
  const page = boardPath({ namespace, name });
  const create = () =>
    run(
      () =>
        createTensorboard(namespace, { name, logspath: logs, configurations: [] }).catch((error: unknown) => {
          // Someone has pressed the button before: it is the same board.
          if (!(error instanceof ApiError && error.status === ALREADY_EXISTS)) throw error;
        }),
      words.boardCreated(name),
    ).then((isDone) => (isDone ? navigate({ to: page }) : undefined));
  return (
    <div className={styles.board}>
      <div>
        <h3>{words.board}</h3>
        <code className={styles.value}>{logs}</code>
      </div>
      {existing ? (
        <ButtonLink to={page} icon="external">{words.openBoard}</ButtonLink>
      ) : (
        <Button icon="external" label={words.startBoard} busy={busy} missing={missing} onPress={() => void create()} />
      )}
    </div>
  );
}
