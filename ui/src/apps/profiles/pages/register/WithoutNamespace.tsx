import type { Session } from "../../../../api/session";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { AskForNamespace } from "./AskForNamespace";

/** The home page of a person who is in no namespace: the way to the registration, or whom to ask. */
export function WithoutNamespace({ session }: { session: Session }) {
  const words = useWords().people;
  const register = (
    <ButtonLink to="/register" look="primary">
      {words.makeNamespace}
    </ButtonLink>
  );
  return (
    <Page title={words.noNamespaceTitle}>
      {session.registrationAllowed ? <EmptyState icon="people" sentence={words.noNamespaceTitle} action={register} /> : <AskForNamespace user={session.user} />}
    </Page>
  );
}
