/** Bytes as Kubernetes writes them. Pure. */
const UNITS = ["B", "Ki", "Mi", "Gi", "Ti", "Pi"];

export function bytes(value: number): string {
  let size = value;
  let unit = 0;
  while (size >= 1024 && unit < UNITS.length - 1) {
    size /= 1024;
    unit++;
  }
  const text = size >= 100 || unit === 0 ? Math.round(size).toString() : size.toFixed(1).replace(/\.0$/, "");
  return `${text} ${UNITS[unit] ?? ""}`;
}

/** Seconds of a latency in a fitting unit. */
export function latency(seconds: number): string {
  if (seconds < 0.001) return `${Math.round(seconds * 1e6)} µs`;
  return seconds < 1 ? `${(seconds * 1000).toFixed(seconds < 0.01 ? 1 : 0)} ms` : `${seconds.toFixed(1)} s`;
}
