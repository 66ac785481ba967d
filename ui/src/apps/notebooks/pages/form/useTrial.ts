import { useQuery } from "@tanstack/react-query";
import { stringify } from "yaml";
import { tryNotebook } from "../../api/notebooks";
import { forecast } from "../../../../api/forecast";
import { messageOf } from "../../../../api/errors";
import { podToTry } from "../../kinds/notebooks";
import { useDebounced } from "../../../../parts/form/useDebounced";
import type { Trial } from "./Preview";


/** Asks the server what it would make of a form, and whether that would start now. An undefined body asks nothing. */
export function useTrial(namespace: string, body: Record<string, unknown> | undefined): Trial {
  const asked = useDebounced(body === undefined ? "" : JSON.stringify(body));
  const made = useQuery({
    queryKey: ["try notebook", namespace, asked],
    enabled: asked !== "" && namespace !== "",
    retry: false,
    placeholderData: (before) => (asked === "" ? undefined : before),
    queryFn: () => tryNotebook(namespace, JSON.parse(asked)),
  });
  const pod = made.isSuccess ? podToTry(made.data) : undefined;
  const fit = useQuery({
    queryKey: ["forecast", namespace, JSON.stringify(pod)],
    enabled: pod !== undefined,
    retry: false,
    staleTime: 5_000,
    queryFn: () => forecast(namespace, pod),
  });
  return {
    yaml: made.isSuccess ? made.data.map((one) => stringify(one)).join("---\n") : "",
    refusal: made.isError ? messageOf(made.error) : undefined,
    forecast: fit.data,
    isChecking: made.isFetching || fit.isFetching,
  };
}
