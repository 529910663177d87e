import type { TraceRow } from "../../api/trace-row.ts";

/** What went in and what came out, or what went wrong, on one line. */
export function TracePreview({ row }: { readonly row: TraceRow }) {
  const { input, output, status, statusMessage } = row;
  const isFailed = status === "ERROR" && statusMessage !== null && statusMessage !== "";
  const end = isFailed ? statusMessage : output;
  return (
    <p dir="auto" className="truncate text-[0.93rem] text-ink-soft">
      <bdi>{input}</bdi>
      {end !== "" && (
        <>
          <span aria-hidden className="px-1.5">
            →
          </span>
          <bdi className={isFailed ? "text-danger" : "text-ink"}>{end}</bdi>
        </>
      )}
    </p>
  );
}
