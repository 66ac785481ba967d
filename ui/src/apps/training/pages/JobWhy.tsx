import { Link } from "@tanstack/react-router";
import type { Explanation, Fix, JobView, ResourceNeed } from "../../../kinds/generated";
import { amountText } from "../../../kinds/quantities";
import { JOB_STATES } from "../kinds/jobStates";
import { Button } from "../../../parts/button/Button";
import { CommandHint } from "../../../parts/command/CommandHint";
import { WhyCard } from "../../../parts/feedback/WhyCard";
import { useWords } from "../../../words";
import styles from "./Jobs.module.css";

interface JobWhyProps {
  view: JobView;
  onOpenLogs: (replica: string) => void;
}

/** Why the job is not well, in the words of `windlass explain`, and what helps. Nothing while all is well. */
export function JobWhy({ view, onOpenLogs }: JobWhyProps) {
  const words = useWords();
  const { row } = view;
  const explanation = view.gang?.explanation ?? undefined;
  if (row.why === null && explanation === undefined) return null;
  const fixes = explanation?.fixes.length ? explanation.fixes : (row.why?.fixes ?? []);
  const failed = view.replicas.find((replica) => replica.why !== null && replica.pod !== "" && replica.node !== "");
  const commands = [...fixes.map((fix) => fix.command), ...view.commands.filter((command) => command.action === "explain").map((command) => command.line)].filter((line) => line !== "");
  return (
    <WhyCard
      state={JOB_STATES[row.state]}
      sentence={(explanation && words.reasons.summary(explanation)) || (row.why && words.reasons.why(row.why)) || words.reasons.job(view)}
      detail={
        <>
          {explanation && <ExplanationDetail explanation={explanation} />}
          {fixes.map((fix) => (
            <FixLine key={fix.text} fix={fix} />
          ))}
          {explanation?.start && explanation.start.assumptions.length > 0 && (
            <p className={styles.assumed}>
              {words.queues.assumptions}: {words.reasons.assumptions(explanation.start.assumptions)}
            </p>
          )}
        </>
      }
      action={
        <>
          {failed && row.state !== "Waiting" && <Button label={words.common.logs} icon="terminal" onPress={() => onOpenLogs(failed.name)} />}
          {commands.length > 0 && <CommandHint lines={commands} />}
        </>
      }
    />
  );
}

function FixLine({ fix }: { fix: Fix }) {
  const text = useWords().reasons.fix(fix);
  const content = fix.link === "" ? text : <Link to={fix.link}>{text}</Link>;
  return <p className={styles.fix}>{content}</p>;
}

function ExplanationDetail({ explanation }: { explanation: Explanation }) {
  const { jobs: words, reasons } = useWords();
  const { needs, place, holders, noRoom } = explanation;
  const short = needs.filter((need) => need.isShort);
  return (
    <>
      {short.length === 0 && <p>{reasons.explanation(explanation)}</p>}
      {short.length > 0 && <Needs needs={short} />}
      {place && <p>{words.place(place.position, place.length, place.queue)}</p>}
      {holders.length > 0 && (
        <p>
          {words.heldBy} {holders.map((holder) => words.holder(holder.name || words.otherUser, holder.pods)).join(", ")}
        </p>
      )}
      {noRoom !== null && <p>{reasons.noRoom(noRoom)}</p>}
    </>
  );
}

/** Which resource is short, and by how much. */
function Needs({ needs }: { needs: ResourceNeed[] }) {
  const words = useWords().jobs;
  return (
    <table className={styles.needs} aria-label={words.needs}>
      <thead>
        <tr>
          {[words.resource, words.asked, words.free, words.short, words.total].map((header) => (
            <th key={header} scope="col">
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {needs.map((need) => (
          <tr key={need.resource}>
            <th scope="row">{need.resource}</th>
            <td>{need.asked.text}</td>
            <td>{need.free.text}</td>
            <td>{shortText(need)}</td>
            <td>{need.total.text}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function shortText(need: ResourceNeed): string {
  const short = need.asked.value - need.free.value;
  return short <= 0 ? "–" : amountText(need.resource, short);
}
