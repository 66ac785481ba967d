/** The one place that sends requests. Everything is same-origin; unsafe methods carry the CSRF token of the cookie. */
import { errorFrom } from "./errors";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

interface RequestOptions {
  body?: unknown;
  contentType?: string;
  accept?: string;
  signal?: AbortSignal;
}

function csrfToken(): string {
  return /(?:^|;\s*)XSRF-TOKEN=([^;]*)/.exec(document.cookie)?.[1] ?? "";
}

async function send(method: Method, path: string, options: RequestOptions = {}): Promise<Response> {
  const headers = new Headers({ Accept: options.accept ?? "application/json" });
  if (method !== "GET") headers.set("X-XSRF-TOKEN", csrfToken());
  // A browser writes the type of a form itself, with the boundary between its parts.
  const isForm = options.body instanceof FormData;
  if (options.body !== undefined && !isForm) headers.set("Content-Type", options.contentType ?? "application/json");
  const response = await fetch(path, {
    method,
    headers,
    body: options.body === undefined ? null : typeof options.body === "string" || isForm ? (options.body as string | FormData) : JSON.stringify(options.body),
    signal: options.signal ?? null,
    credentials: "same-origin",
    // What was asked to be deleted is deleted, also when the page is closed meanwhile.
    keepalive: method === "DELETE",
  });
  if (!response.ok) throw errorFrom(response.status, await response.text());
  return response;
}

/** The JSON answer, or undefined for an empty one. The caller names the type that the route is documented to have. */
export async function request<T>(method: Method, path: string, options?: RequestOptions): Promise<T> {
  const response = await send(method, path, options);
  const text = await response.text();
  return (text === "" ? undefined : JSON.parse(text)) as T;
}

export const get = <T>(path: string, signal?: AbortSignal): Promise<T> => request<T>("GET", path, signal ? { signal } : {});
export const post = <T>(path: string, body?: unknown): Promise<T> => request<T>("POST", path, { body: body ?? {} });

/** The body of an answer as it arrives, decoded as UTF-8. */
export async function* stream(path: string, signal: AbortSignal): AsyncGenerator<string> {
  const response = await send("GET", path, { signal });
  if (response.body === null) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}
