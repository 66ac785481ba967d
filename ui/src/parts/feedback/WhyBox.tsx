import { Link } from "@tanstack/react-router";
import type { Why } from "../../kinds/generated";
import { CommandHint } from "../command/CommandHint";
import type { State } from "../pill/Pill";
import { WhyCard } from "./WhyCard";

/** A reason of the server with what helps: each fix as a sentence, a link or a command. */
export function WhyBox({ state, why, note }: { state: State; why: Why; note?: string | undefined }) {
  const commands = why.fixes.map((fix) => fix.command).filter((command) => command !== "");
  return (
    <WhyCard
      state={state}
      sentence={why.sentence}
      detail={
        why.fixes.length > 0 || note !== undefined ? (
          <>
            {why.fixes.map((fix) => (
              <p key={fix.code}>{fix.link === "" ? fix.text : <Link to={fix.link}>{fix.text}</Link>}</p>
            ))}
            {note !== undefined && <p>{note}</p>}
          </>
        ) : undefined
      }
      action={commands.length > 0 ? <CommandHint lines={commands} /> : undefined}
    />
  );
}
