import { useEffect, useRef, type ReactNode } from "react";

/** A story in which the first button has been pressed: an open menu, a shown message. */
export function Pressed({ children }: { children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setTimeout(() => box.current?.querySelector("button")?.click());
    return () => clearTimeout(timer);
  }, []);
  return <div ref={box}>{children}</div>;
}
