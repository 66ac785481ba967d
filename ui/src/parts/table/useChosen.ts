import { useCallback, useState } from "react";

interface Chosen {
  chosen: ReadonlySet<string>;
  choose: (id: string, isChosen: boolean) => void;
}

/** The rows that something is to be done with together, by id, in the order in which they were chosen. */
export function useChosen(): Chosen {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choose = useCallback(
    (id: string, isChosen: boolean) =>
      setChosen((before) => {
        const after = new Set(before);
        if (isChosen) after.add(id);
        else after.delete(id);
        return after;
      }),
    [],
  );
  return { chosen, choose };
}
