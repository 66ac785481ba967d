import { useCallback, useEffect, useMemo, useState, type ReactNode } from "react";
import { SpeechContext, preferredLanguage, type Language, type Words } from ".";
import { en } from "./en";

const STORED = "windlass.language";

/** Gives the words of the chosen language; Chinese is fetched when it is first needed. */
export function SpeechProvider({ children }: { children: ReactNode }) {
  const [language, choose] = useState<Language>(() => preferredLanguage(localStorage.getItem(STORED), navigator.languages));
  const [chinese, setChinese] = useState<Words>();
  useEffect(() => {
    document.documentElement.lang = language;
    if (language === "zh") void import("./zh").then((module) => setChinese(module.zh));
  }, [language]);
  const setLanguage = useCallback((wanted: Language) => {
    localStorage.setItem(STORED, wanted);
    choose(wanted);
  }, []);
  const words = language === "zh" ? chinese : en;
  const speech = useMemo(() => words && { language, words, setLanguage }, [language, words, setLanguage]);
  if (speech === undefined) return null;
  return <SpeechContext value={speech}>{children}</SpeechContext>;
}
