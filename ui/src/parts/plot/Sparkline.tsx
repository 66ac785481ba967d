import styles from "./Plot.module.css";

interface SparklineProps {
  values: readonly number[];
  /** Read out with the last value instead of the picture; without it the picture is decoration. */
  label?: string;
  width?: number;
  height?: number;
}

/** The course of a value at a glance. */
export function Sparkline({ values, label, width = 72, height = 20 }: SparklineProps) {
  const finite = values.filter(Number.isFinite);
  if (finite.length < 2) return null;
  const name = label === undefined ? { "aria-hidden": true } : { role: "img", "aria-label": `${label}: ${finite.at(-1) ?? ""}` };
  return (
    <svg className={styles.sparkline} width={width} height={height} viewBox={`0 0 ${width} ${height}`} {...name}>
      <path d={sparkPath(finite, width, height)} />
    </svg>
  );
}

/** A constant is a line in the middle. Pure. */
export function sparkPath(values: number[], width: number, height: number): string {
  const low = Math.min(...values);
  const span = Math.max(...values) - low;
  const y = (value: number): number => (span === 0 ? height / 2 : height - 1 - ((value - low) / span) * (height - 2));
  return values.map((value, index) => `${index === 0 ? "M" : "L"}${((index / (values.length - 1)) * width).toFixed(1)} ${y(value).toFixed(1)}`).join("");
}
