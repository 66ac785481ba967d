import { ButtonLink } from "../parts/button/ButtonLink";
import { EmptyState } from "../parts/feedback/EmptyState";
import { useWords } from "../words";

export function NotFound() {
  const words = useWords().common;
  return (
    <EmptyState
      icon="search"
      sentence={words.notFound}
      action={
        <>
          <span>{words.notFoundHint}</span>
          <ButtonLink to="/">{words.goHome}</ButtonLink>
        </>
      }
    />
  );
}
