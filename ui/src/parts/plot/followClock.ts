import type uPlot from "uplot";
import { nearest, type CursorClock, type Dial } from "./clock";

/** Usage is sampled every few seconds: a point so near is shown. */
const SLACK_SECONDS = 30;
const AWAY = -10;

/** Publishes the pointer's position to the clock, and follows the pointers of other plots. Ends by the returned function. */
export function followClock(plot: uPlot, clock: CursorClock, dial: () => Dial | undefined): () => void {
  const publish = (event: MouseEvent) => {
    const known = dial();
    const x = plot.posToVal(event.offsetX, "x");
    if (known !== undefined) clock.publish(plot, nearest(known.x, known.seconds, x, Infinity));
  };
  const left = () => clock.publish(plot, undefined);
  plot.over.addEventListener("mousemove", publish);
  plot.over.addEventListener("mouseleave", left);
  const unsubscribe = clock.subscribe(plot, (moment) => {
    const known = dial();
    const x = moment === undefined || known === undefined ? undefined : nearest(known.seconds, known.x, moment, SLACK_SECONDS);
    plot.setCursor({ left: x === undefined ? AWAY : plot.valToPos(x, "x"), top: x === undefined ? AWAY : 0 });
  });
  return () => {
    plot.over.removeEventListener("mousemove", publish);
    plot.over.removeEventListener("mouseleave", left);
    unsubscribe();
  };
}
