/** The newest values of the jobs that a table draws, by few requests: one for each namespace. */
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { createContext, useContext, useEffect, useMemo, useState } from "react";
import type { CoursesView, JobCourse } from "../../../kinds/generated";
import { get } from "../../../api/client";
import type { JobKey } from "./jobs";

const EVERY_MS = 20_000;
/** Rows that are drawn together ask together. */
const SETTLE_MS = 100;
/** The server's limit for one request. */
export const MAX_JOBS = 40;

const idOf = ({ kind, namespace, name }: JobKey): string => `${namespace}/${kind}/${name}`;

/** Namespaces, each with the jobs that one request asks for. Pure. */
export function questionsOf(ids: Iterable<string>): { namespace: string; jobs: string[] }[] {
  const byNamespace = new Map<string, string[]>();
  for (const id of [...ids].sort()) {
    const cut = id.indexOf("/");
    const jobs = byNamespace.get(id.slice(0, cut)) ?? [];
    byNamespace.set(id.slice(0, cut), [...jobs, id.slice(cut + 1)]);
  }
  return [...byNamespace].flatMap(([namespace, jobs]) =>
    Array.from({ length: Math.ceil(jobs.length / MAX_JOBS) }, (_, page) => ({ namespace, jobs: jobs.slice(page * MAX_JOBS, (page + 1) * MAX_JOBS) })),
  );
}

export interface Courses {
  known: ReadonlyMap<string, JobCourse>;
  /** Says that a job is drawn, until the returned function is called. */
  want: (id: string) => () => void;
}

export const CoursesContext = createContext<Courses>({ known: new Map(), want: () => () => undefined });

/** Which jobs are drawn: a list that changes at most every so often. */
class Wanted {
  private readonly counts = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly publish: (ids: string[]) => void;

  constructor(publish: (ids: string[]) => void) {
    this.publish = publish;
  }

  add(id: string): () => void {
    this.counts.set(id, (this.counts.get(id) ?? 0) + 1);
    this.changed();
    return () => {
      const left = (this.counts.get(id) ?? 1) - 1;
      if (left > 0) this.counts.set(id, left);
      else this.counts.delete(id);
      this.changed();
    };
  }

  private changed(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.publish([...this.counts.keys()]);
    }, SETTLE_MS);
  }
}

const known = (results: UseQueryResult<Map<string, JobCourse>>[]): Map<string, JobCourse> => new Map(results.flatMap(({ data }) => [...(data ?? [])]));

/** What a table provides to its rows. */
export function useCourses(): Courses {
  const [ids, setIds] = useState<string[]>([]);
  const wanted = useMemo(() => new Wanted(setIds), []);
  const courses = useQueries({
    queries: questionsOf(ids).map(({ namespace, jobs }) => ({
      queryKey: ["courses", namespace, jobs.join()],
      queryFn: async ({ signal }: { signal: AbortSignal }) => {
        const { courses: found } = await get<CoursesView>(`/api/jobs/${encodeURIComponent(namespace)}/courses?jobs=${encodeURIComponent(jobs.join())}`, signal);
        return new Map(found.map((one) => [idOf({ ...one, namespace }), one]));
      },
      refetchInterval: EVERY_MS,
      staleTime: EVERY_MS,
      retry: false,
      placeholderData: (before: Map<string, JobCourse> | undefined) => before,
    })),
    combine: known,
  });
  return useMemo(() => ({ known: courses, want: (id) => wanted.add(id) }), [courses, wanted]);
}

/** The newest values of a job; undefined until they are known. */
export function useCourse(job: JobKey): JobCourse | undefined {
  const { known: all, want } = useContext(CoursesContext);
  const id = idOf(job);
  useEffect(() => want(id), [want, id]);
  return all.get(id);
}
