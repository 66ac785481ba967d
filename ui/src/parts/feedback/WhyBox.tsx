import { Link } from "@tanstack/react-router";
import type { Why } from "../../kinds/generated";
import { useWords } from "../../words";
import { CommandHint } from "../command/CommandHint";
import type { State } from "../pill/Pill";
import { WhyCard } from "./WhyCard";

/** A reason of the server with what helps: each fix as a sentence, a link or a command. */
export function WhyBox({ state, why, note }: { state: State; why: Why; note?: string | undefined }) {
  const words = useWords().reasons;
  const commands = why.fixes.map((fix) => fix.command).filter((command) => command !== "");
  return (
    <WhyCard
      state={state}
      sentence={words.why(why)}
      detail={
        why.fixes.length > 0 || note !== undefined ? (
          <>
            {why.fixes.map((fix) => (
              <p key={fix.text}>{fix.link === "" ? words.fix(fix) : <Link to={fix.link}>{words.fix(fix)}</Link>}</p>
            ))}
            {note !== undefined && <p>{note}</p>}
          </>
        ) : undefined
      }
      action={commands.length > 0 ? <CommandHint lines={commands} /> : undefined}
    />
  );
}
