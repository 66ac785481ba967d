import { useQueryClient } from "@tanstack/react-query";
import { endMachineView } from "../../api/account";
import { SESSION_KEY } from "../../api/session";
import { Button } from "../../parts/button/Button";
import { CommandHint } from "../../parts/command/CommandHint";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { useAction } from "../../parts/overlay/useAction";
import { useWords } from "../../words";

/** The reason for which a user who is no administrator sees the whole machine, and the button that ends it. */
export function MachineView() {
  const words = useWords().cluster;
  const queries = useQueryClient();
  const { busy, run } = useAction();
  const end = () => void run(endMachineView, words.machineViewEnded).then(() => queries.invalidateQueries({ queryKey: SESSION_KEY }));
  return (
    <WhyCard
      state="stopped"
      sentence={words.machineView}
      detail={words.machineViewText}
      action={
        <>
          <CommandHint lines={["windlass user machine-view off", "windlass user machine-view on"]} /> <Button label={words.endMachineView} busy={busy} onPress={end} />
        </>
      }
    />
  );
}
