import { useEffect, useRef, useState } from "react";

/** The value, taken over at most once in a while: for what costs too much to do for every change. */
export function useSlowly<T>(value: T, pauseMs: number): T {
  const [taken, setTaken] = useState(value);
  const newest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    newest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      setTaken(newest.current);
    }, pauseMs);
  }, [value, pauseMs]);
  useEffect(
    () => () => {
      clearTimeout(timer.current);
      timer.current = undefined;
    },
    [],
  );
  return taken;
}
