import { EmptyState } from "../../parts/feedback/EmptyState";
import { Page } from "../../parts/page/Page";
import { useWords } from "../../words";

/** A part of Kubeflow that Windlass does not have yet. */
export function NotYet() {
  const words = useWords().people;
  return (
    <Page title={words.notYetTitle}>
      <EmptyState icon="info" sentence={words.notYet} />
    </Page>
  );
}
