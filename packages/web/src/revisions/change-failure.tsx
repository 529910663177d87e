import { CircleAlert } from "lucide-react";
import { ApiError, UnreachableError } from "../api/api-error.ts";

interface RefusalViewProps {
  /** What did not happen: "Nothing was changed". */
  readonly title: string;
  readonly error: Error;
}

/** Why the platform did not do something: one line for each thing that is wrong. */
export function ChangeFailure({ title, error }: RefusalViewProps) {
  const detail = error instanceof ApiError ? error.detail : [];
  const reasons = detail.length > 0 ? detail.map(({ msg }) => msg) : [error.message];
  const isConfig = error instanceof ApiError && error.has("config_invalid");
  return (
    <div
      role="alert"
      // What is long may have been scrolled away from here.
      ref={(box) => box?.scrollIntoView({ block: "nearest" })}
      className="rounded-lg border border-danger/40 bg-danger-soft px-3 py-2"
    >
      <p className="flex items-center gap-2 font-medium text-danger">
        <CircleAlert size={16} aria-hidden className="shrink-0" />
        {failureTitle(title, error)}
      </p>
      <ul className="mt-1 flex flex-col gap-1 pl-6">
        {reasons.map((reason) => (
          <li key={reason} className="break-words whitespace-pre-wrap">
            {reason}
          </li>
        ))}
      </ul>
      {isConfig && (
        <p className="mt-1 pl-6 text-ink-soft">
          The workflow that is deployed does not take these values. Commit a revision that has
          others, and deploy that.
        </p>
      )}
    </div>
  );
}

/**
 * What is said of a change that failed. A platform that went away in the middle of it may have done it.
 *
 * @param title What did not happen: "Not deleted".
 */
export function failureTitle(title: string, error: Error): string {
  return error instanceof UnreachableError ? "Whether it was done is not known" : title;
}
