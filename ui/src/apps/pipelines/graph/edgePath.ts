import { curveBasis, line } from "d3-shape";
import type { Point } from "./layout";

const drawLine = line<Point>()
  .x((point) => point.x)
  .y((point) => point.y)
  .curve(curveBasis);

/** Along the points of the layout, not straight from end to end. */
export const edgePath = (points: Point[]): string => drawLine(points) ?? "";

const LENGTH = 7;
const HALF_WIDTH = 3.5;

/** The head of an edge: a triangle at its last point, in the direction in which the edge arrives. */
export function arrowPath(points: Point[]): string {
  const tip = points.at(-1);
  const before = points.findLast((point) => tip !== undefined && (point.x !== tip.x || point.y !== tip.y));
  if (tip === undefined || before === undefined) return "";
  const distance = Math.hypot(tip.x - before.x, tip.y - before.y);
  const [dx, dy] = [(tip.x - before.x) / distance, (tip.y - before.y) / distance];
  const [x, y] = [tip.x - LENGTH * dx, tip.y - LENGTH * dy];
  const corner = (side: number) => `${x - side * HALF_WIDTH * dy},${y + side * HALF_WIDTH * dx}`;
  return `M${tip.x},${tip.y}L${corner(1)}L${corner(-1)}Z`;
}
