/** A question before something that cannot be taken back, and holds no data. */
import { createContext, useContext } from "react";

export interface Question {
  title: string;
  /** What is lost. */
  text: string;
  /** The word on the button that goes ahead. */
  action: string;
  /** The same by command. */
  command?: string | undefined;
}

export type Confirm = (question: Question) => Promise<boolean>;

export const ConfirmContext = createContext<Confirm>(() => Promise.resolve(true));

/** Asks, and answers whether to go ahead. */
export const useConfirm = (): Confirm => useContext(ConfirmContext);
