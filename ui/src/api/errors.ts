/** What a server said when it refused something, whichever of its three shapes of error it used. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;
  /** What it says about single fields, if it does. */
  readonly causes: FieldCause[];

  constructor(status: number, reason: string, message: string, causes: FieldCause[] = []) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.reason = reason;
    this.causes = causes;
  }
}

/** A field of an object and what is wrong with it: `spec.replicas`, "must be greater than or equal to 0". */
export interface FieldCause {
  path: string;
  message: string;
}

/** The session has ended: the person has to sign in again. */
export class SignedOut extends ApiError {
  constructor() {
    super(401, "Unauthorized", "Your session has ended.");
  }
}

interface ErrorBody {
  error?: unknown;
  log?: unknown;
  message?: unknown;
  reason?: unknown;
  /** Of uploads of pipelines. */
  error_message?: unknown;
  /** Of a Status the fields; of pipelines' API what it says to a person. */
  details?: { causes?: { field?: unknown; message?: unknown }[] } | { message?: unknown }[] | null;
}

/** The sentence of a dashboard error (`error`), of a web app's (`log`), of a Kubernetes Status (`message`) or of pipelines' API (`details`). */
export function errorFrom(status: number, text: string): ApiError {
  if (status === 401) return new SignedOut();
  const body = parse(text);
  const details = Array.isArray(body.details) ? body.details.map((detail) => detail.message) : [];
  const sentence = [...details, body.error_message, body.message, body.log, body.error].find((part) => typeof part === "string" && part !== "");
  const reason = typeof body.reason === "string" ? body.reason : "";
  return new ApiError(status, reason, typeof sentence === "string" ? sentence : text.slice(0, 300) || `HTTP ${status}`, causesOf(body));
}

function causesOf(body: ErrorBody): FieldCause[] {
  return (Array.isArray(body.details) ? [] : (body.details?.causes ?? [])).flatMap(({ field, message }) =>
    typeof field === "string" && field !== "" && typeof message === "string" ? [{ path: field, message }] : [],
  );
}

function parse(text: string): ErrorBody {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** The words of any thrown value, for a person. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
