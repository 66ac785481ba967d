import { useState } from "react";

/** A control whose text says a value: what was typed stays as it was typed for as long as the value is the one it says. */
export function useTyped<T>(value: T, write: (value: T) => string, read: (text: string) => T, set: (value: T) => void): [text: string, type: (text: string) => void] {
  const [typed, setTyped] = useState(() => write(value));
  const isOwn = JSON.stringify(read(typed)) === JSON.stringify(value);
  return [
    isOwn ? typed : write(value),
    (text) => {
      setTyped(text);
      set(read(text));
    },
  ];
}
