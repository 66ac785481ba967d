import { newProfileCommand } from "../../kinds/profileCommands";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { useWords } from "../../../../words";

/** For those who may not make a namespace themselves: whom to ask, and what an administrator runs. */
export function AskForNamespace({ user }: { user: string }) {
  return <EmptyState icon="people" sentence={useWords().people.noNamespaceText} command={newProfileCommand(user)} />;
}
