/** How curves are drawn: kept in the URL, so that a link shows the same. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect, useRef, useState } from "react";

export interface PlotSettings {
  /** 0 to 0.99. */
  smoothing: number;
  hasLogAxis: boolean;
  /** Series that are not drawn, as `plot/series`. */
  hidden: ReadonlySet<string>;
}

type Search = Record<string, string | undefined>;

const WRITE_MS = 250;
const MAX_SMOOTHING = 0.99;
const BETWEEN = "~";
/** The router would put a number that is a text into quotes. */
const PREFIX = "ema";

/** The settings in a URL; what makes no sense there is left out. Pure. */
export function settingsIn(search: Search, initialSmoothing = 0): PlotSettings {
  const smoothing = search["smooth"] === undefined ? initialSmoothing : Number(search["smooth"].replace(PREFIX, ""));
  return {
    smoothing: Number.isFinite(smoothing) ? Math.min(MAX_SMOOTHING, Math.max(0, smoothing)) : initialSmoothing,
    hasLogAxis: search["log"] === "yes",
    hidden: new Set((search["hide"] ?? "").split(BETWEEN).filter((id) => id !== "")),
  };
}

/** What of a URL says the same; what is as it is at first is left out. Pure. */
export function searchOf({ smoothing, hasLogAxis, hidden }: PlotSettings, initialSmoothing = 0): Search {
  return {
    smooth: smoothing === initialSmoothing ? undefined : `${PREFIX}${smoothing}`,
    log: hasLogAxis ? "yes" : undefined,
    hide: hidden.size === 0 ? undefined : [...hidden].sort().join(BETWEEN),
  };
}

/** The settings and a function that changes some of them. They are drawn at once, and written to the URL after a moment. */
export function usePlotSettings(isInUrl: boolean, initialSmoothing: number): [PlotSettings, (change: Partial<PlotSettings>) => void] {
  const search: Search = useSearch({ strict: false });
  const navigate = useNavigate();
  const [draft, setDraft] = useState<PlotSettings>();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const settings = draft ?? settingsIn(isInUrl ? search : {}, initialSmoothing);
  const change = useCallback(
    (more: Partial<PlotSettings>) => {
      const next = { ...settings, ...more };
      setDraft(next);
      clearTimeout(timer.current);
      if (!isInUrl) return;
      timer.current = setTimeout(() => {
        const written = navigate({ to: ".", search: (before: Search) => ({ ...before, ...searchOf(next, initialSmoothing) }), replace: true });
        void Promise.resolve(written).then(() => setDraft(undefined));
      }, WRITE_MS);
    },
    [settings, isInUrl, initialSmoothing, navigate],
  );
  return [settings, change];
}
