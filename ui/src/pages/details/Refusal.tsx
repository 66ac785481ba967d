import type { About } from "../../api/warnings";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { useNewestWarning } from "./useNewestWarning";

/** What the server said to a change of an object, and the newest warning about that object. */
export function Refusal({ message, about }: { message: string; about: About }) {
  return <WhyCard state="failed" sentence={message} detail={useNewestWarning(about, message)} />;
}
