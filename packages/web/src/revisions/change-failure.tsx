import type { DeployEvents } from "@agate/protocol";
import { CircleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { ApiError, UnreachableError } from "../api/api-error.ts";

interface ChangeFailureProps {
  /** What did not happen: "Not deleted". */
  readonly title: string;
  readonly error: Error;
  /** What can be done about it. */
  readonly children?: ReactNode;
}

/** Why a change failed: one line for each reason, and what a build printed last. */
export function ChangeFailure({ title, error, children }: ChangeFailureProps) {
  const detail = error instanceof ApiError ? error.detail : [];
  const reasons = detail.length > 0 ? detail.map(({ msg }) => msg) : [error.message];
  const log = logOf(error);
  const isConfig = error instanceof ApiError && error.has("config_invalid");
  return (
    <div
      role="alert"
      // The user may have scrolled down a long dialog.
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
      {log.length > 0 && (
        <pre className="mt-1 ml-6 max-h-40 overflow-auto rounded-md bg-surface px-2 py-1 font-mono text-xs break-words whitespace-pre-wrap">
          {log.join("\n")}
        </pre>
      )}
      {isConfig && (
        <p className="mt-1 pl-6 text-ink-soft">
          The build rejects these values. Commit a revision with valid values and deploy that.
        </p>
      )}
      {children && <div className="mt-2 flex flex-col items-start gap-2 pl-6">{children}</div>}
    </div>
  );
}

/** The last lines that a refused build printed. */
function logOf(error: Error): readonly string[] {
  if (!(error instanceof ApiError)) return [];
  const { log } = (error.body ?? {}) as Partial<DeployEvents["refused"]>;
  return log ?? [];
}

/**
 * The title of a failed change. If the connection broke off, the platform may have applied it.
 *
 * @param title What did not happen: "Not deleted".
 */
export function failureTitle(title: string, error: Error): string {
  return error instanceof UnreachableError
    ? "Connection lost: the change may or may not have been applied"
    : title;
}
