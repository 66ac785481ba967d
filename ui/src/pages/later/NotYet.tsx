import { EmptyState } from "../../parts/feedback/EmptyState";
import { Page } from "../../parts/page/Page";
import { useWords } from "../../words";

/** A part of Kubeflow that Windlass does not have yet. */
export function NotYet() {
  const words = useWords().later;
  return (
    <Page title={words.title}>
      <EmptyState icon="info" sentence={words.sentence} />
    </Page>
  );
}
