import { curveBasis, line } from "d3-shape";
import type { Point } from "./layout";

const drawLine = line<Point>()
  .x((point) => point.x)
  .y((point) => point.y)
  .curve(curveBasis);

/** Along the points of the layout, not straight from end to end. */
export const edgePath = (points: Point[]): string => drawLine(points) ?? "";
