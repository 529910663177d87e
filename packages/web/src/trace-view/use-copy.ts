import { useCallback } from "react";
import { useToaster } from "../design/toaster.tsx";

/** Copies a text, and says in a corner that it has, or could not. */
export function useCopy(): (text: string, done: string) => void {
  const toaster = useToaster();
  return useCallback(
    (text: string, done: string) => {
      // Not there over plain HTTP from another machine.
      const written = navigator.clipboard?.writeText(text) ?? Promise.reject();
      written.then(
        () => toaster.done(done),
        () => toaster.failed("The browser does not let the page copy."),
      );
    },
    [toaster],
  );
}
