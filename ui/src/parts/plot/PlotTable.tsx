import { useWords } from "../../words";
import { PlainTable } from "../table/DataTable";
import type { Column } from "../table/columns";
import type { PlotSeries } from "./series";

interface PlotTableProps {
  title: string;
  series: PlotSeries[];
  x: { kind: "time" | "number"; label: string };
  format: (value: number | null) => string;
}

interface Summary {
  id: string;
  label: string;
  points: number;
  last: number | null;
  min: number | null;
  max: number | null;
}

export function summaryOf(series: PlotSeries): Summary {
  const values = series.y.filter((value) => value !== null);
  return {
    id: series.id,
    label: series.label,
    points: values.length,
    last: values.at(-1) ?? null,
    min: values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b)),
    max: values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b)),
  };
}

/** What a plot shows, for those who do not see it. */
export function PlotTable({ title, series, format }: PlotTableProps) {
  const words = useWords().viewers.plot;
  const number = (id: "last" | "min" | "max"): Column<Summary> => ({
    id,
    header: words[id],
    align: "right",
    value: (row) => row[id] ?? undefined,
    cell: (row) => format(row[id]),
  });
  const columns: Column<Summary>[] = [
    { id: "series", header: words.series, value: (row) => row.label },
    number("last"),
    number("min"),
    number("max"),
    { id: "points", header: words.points, align: "right", value: (row) => row.points },
  ];
  return <PlainTable label={title} rows={series.map(summaryOf)} columns={columns} idOf={(row) => row.id} />;
}
