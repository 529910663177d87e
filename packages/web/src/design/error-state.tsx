import { CircleAlert } from "lucide-react";
import { Button } from "./button.tsx";

interface ErrorStateProps {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}

/** Stands where something could not be loaded. */
export function ErrorState({ error, onRetry }: ErrorStateProps) {
  return (
    <div
      role="alert"
      className="mx-auto flex w-full max-w-lg flex-col items-center gap-3 px-6 py-16 text-center"
    >
      <span className="flex size-11 items-center justify-center rounded-xl bg-danger-soft text-danger">
        <CircleAlert size={22} aria-hidden />
      </span>
      <p className="max-w-full break-words">{error.message}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
