import { useEffect, useState } from "react";
import { useSpeech } from "../../words";
import { duration, refreshPeriod, shortDuration } from "./times";

/** The time now, renewed as often as something of that age changes. */
export function useNow(since: number | undefined): number {
  const [now, setNow] = useState(() => Date.now());
  const period = since === undefined ? 60_000 : refreshPeriod(Math.abs(now - since) / 1000);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), period);
    return () => clearInterval(timer);
  }, [period]);
  return now;
}

interface TimeProps {
  /** RFC 3339. */
  at: string | undefined | null;
  /** Only the number, for a column that is called "age". */
  bare?: boolean;
}

/** "3 min ago" or "in 5 min", live, with the exact time on hover. */
export function Time({ at, bare }: TimeProps) {
  const { language, words } = useSpeech();
  const moment = at ? Date.parse(at) : Number.NaN;
  const now = useNow(Number.isNaN(moment) ? undefined : moment);
  if (Number.isNaN(moment)) return <span>–</span>;
  const seconds = (now - moment) / 1000;
  const text = shortDuration(Math.abs(seconds), language);
  const shown = bare ? text : seconds < -1 ? words.common.in(text) : seconds < 5 ? words.common.justNow : words.common.ago(text);
  return (
    <time dateTime={new Date(moment).toISOString()} title={new Date(moment).toLocaleString(language)}>
      {shown}
    </time>
  );
}

/** How long something took, or has taken until now. */
export function Duration({ from, to }: { from: string | undefined | null; to?: string | undefined | null }) {
  const { language } = useSpeech();
  const start = from ? Date.parse(from) : Number.NaN;
  const now = useNow(Number.isNaN(start) || to ? undefined : start);
  if (Number.isNaN(start)) return <span>–</span>;
  const end = to ? Date.parse(to) : now;
  return <span>{duration((end - start) / 1000, language)}</span>;
}
