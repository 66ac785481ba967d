/** Durations and ages in words. Pure: the present is an argument. */
const UNITS: [seconds: number, en: string, zh: string][] = [
  [86_400 * 365, "y", "年"],
  [86_400, "d", "天"],
  [3_600, "h", "小时"],
  [60, "min", "分钟"],
  [1, "s", "秒"],
];

/** The two largest units that matter: "3 h 12 min", "45 s". */
export function duration(seconds: number, language: "en" | "zh" = "en"): string {
  let rest = Math.max(0, Math.round(seconds));
  const parts: string[] = [];
  for (const [size, en, zh] of UNITS) {
    const count = Math.floor(rest / size);
    if (count === 0 && (size > 1 || parts.length > 0)) {
      if (parts.length > 0) break;
      continue;
    }
    parts.push(`${count} ${language === "zh" ? zh : en}`);
    rest -= count * size;
    if (parts.length === 2) break;
  }
  return parts.join(" ");
}

/** The largest unit alone: "3 h", for tables. */
export function shortDuration(seconds: number, language: "en" | "zh" = "en"): string {
  const rest = Math.max(0, Math.floor(seconds));
  const unit = UNITS.find(([size]) => rest >= size) ?? [1, "s", "秒"];
  return `${Math.floor(rest / unit[0])} ${language === "zh" ? unit[2] : unit[1]}`;
}

/** How often an age has to be written again, in milliseconds. */
export function refreshPeriod(seconds: number): number {
  if (seconds < 60) return 1_000;
  return seconds < 3_600 ? 15_000 : 60_000;
}
