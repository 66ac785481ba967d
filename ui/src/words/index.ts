/** Every text of the dashboard, in English and Chinese. A missing or superfluous Chinese one is a type error. */
import { createContext, useContext } from "react";
import { en } from "./en";

export type Words = typeof en;
export type Language = "en" | "zh";

export const LANGUAGES: Record<Language, string> = { en: "English", zh: "中文" };

interface Speech {
  language: Language;
  words: Words;
  setLanguage: (language: Language) => void;
}

export const SpeechContext = createContext<Speech>({ language: "en", words: en, setLanguage: () => undefined });

export const useSpeech = (): Speech => useContext(SpeechContext);

export const useWords = (): Words => useContext(SpeechContext).words;

/** The language of the person's last choice, else of the browser. */
export function preferredLanguage(stored: string | null, browser: readonly string[]): Language {
  if (stored === "en" || stored === "zh") return stored;
  const first = browser.find((tag) => /^(en|zh)\b/i.test(tag));
  return first?.toLowerCase().startsWith("zh") === true ? "zh" : "en";
}
