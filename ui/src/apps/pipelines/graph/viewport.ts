/** Which part of a graph is shown first. Pure. */
import type { PlacedGraph, PlacedNode } from "./layout";

/** The smallest zoom at which names are read: on a narrow screen, moving the graph is easier than reading small text. */
const readable = (width: number): number => (width < 560 ? 0.75 : 0.55);
const MARGIN = 24;
/** Below the graph, where its controls are. */
const BOTTOM = 48;

interface Size {
  width: number;
  height: number;
}

export interface View {
  x: number;
  y: number;
  zoom: number;
}

const fittingZoom = (graph: Size, place: Size): number => Math.min((place.width - 2 * MARGIN) / Math.max(1, graph.width), (place.height - MARGIN - BOTTOM) / Math.max(1, graph.height));

/** In the middle of the room, unless that reaches into the margin at its end. */
const centred = (size: number, room: number, end: number): number => Math.min((room - size) / 2, room - end - size);

/** All of it where that stays readable; else the step that runs or has failed, or the beginning. */
export function firstView(graph: PlacedGraph, place: Size): View {
  const zoom = Math.min(1, Math.max(readable(place.width), fittingZoom(graph, place)));
  const focus = focusOf(graph.nodes);
  const along = (size: number, room: number, end: number, middle: number | undefined): number => {
    if (size * zoom <= room - MARGIN - end) return centred(size * zoom, room, end);
    const wanted = middle === undefined ? MARGIN : room / 2 - middle * zoom;
    return Math.min(MARGIN, Math.max(room - end - size * zoom, wanted));
  };
  return {
    zoom,
    // Without a step to look at: the first one.
    x: along(graph.width, place.width, MARGIN, middleOf(focus ?? topmost(graph.nodes)) ?? graph.width / 2),
    y: along(graph.height, place.height, BOTTOM, focus === undefined ? undefined : focus.y + focus.height / 2),
  };
}

/** All of it, however small. */
export function wholeView(graph: Size, place: Size, minZoom: number): View {
  const zoom = Math.min(1, Math.max(minZoom, fittingZoom(graph, place)));
  return { zoom, x: centred(graph.width * zoom, place.width, MARGIN), y: centred(graph.height * zoom, place.height, BOTTOM) };
}

/** After the place has got another size: what was in the middle still is, unless the chosen node would be out of sight. */
export function resizedView(view: View, before: Size, place: Size, chosen: PlacedNode | undefined): View {
  const kept = { zoom: view.zoom, x: view.x + (place.width - before.width) / 2, y: view.y + (place.height - before.height) / 2 };
  return chosen === undefined || isInSight(chosen, kept, place) ? kept : centredView(chosen, view.zoom, place);
}

export function isInSight({ x, y, width, height }: PlacedNode, view: View, place: Size): boolean {
  const left = view.x + x * view.zoom;
  const top = view.y + y * view.zoom;
  return left >= 0 && top >= 0 && left + width * view.zoom <= place.width && top + height * view.zoom <= place.height;
}

export const centredView = ({ x, y, width, height }: PlacedNode, zoom: number, place: Size): View => ({
  zoom,
  x: place.width / 2 - (x + width / 2) * zoom,
  y: place.height / 2 - (y + height / 2) * zoom,
});

const middleOf = (node: PlacedNode | undefined): number | undefined => node && node.x + node.width / 2;

const topmost = (nodes: PlacedNode[]): PlacedNode | undefined =>
  nodes.filter((one) => one.kind === "step").reduce<PlacedNode | undefined>((first, one) => (first === undefined || one.y < first.y ? one : first), undefined);

function focusOf(nodes: PlacedNode[]): PlacedNode | undefined {
  const steps = nodes.filter((one) => one.kind === "step");
  return steps.find((one) => one.node.state === "failed") ?? steps.find((one) => one.node.state === "running");
}
