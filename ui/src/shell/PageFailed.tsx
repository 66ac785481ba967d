import { messageOf } from "../api/errors";
import { Button } from "../parts/button/Button";
import { WhyCard } from "../parts/feedback/WhyCard";
import { useWords } from "../words";
import { ChunkFailed } from "../api/chunks";

/** In place of a page that could not be loaded or drawn: what went wrong, and a way to try again. */
export function PageFailed({ error }: { error: unknown }) {
  const words = useWords();
  const isUnloaded = error instanceof ChunkFailed;
  return (
    <WhyCard
      state="failed"
      sentence={isUnloaded ? words.shell.pageUnloaded : words.shell.pageBroken}
      detail={messageOf(error)}
      action={<Button look="primary" icon="restart" label={words.shell.loadAgain} onPress={() => location.reload()} />}
    />
  );
}
