import { useToaster } from "../design/toaster.tsx";

/** Copies a text, and says in a corner that it has, or could not. */
export function useCopy(): (text: string, done: string) => void {
  const toaster = useToaster();
  return (text, done) => {
    // Not there over plain HTTP from another machine.
    const written = navigator.clipboard?.writeText(text) ?? Promise.reject();
    written.then(
      () => toaster.done(done),
      () => toaster.failed("The browser does not let the page copy."),
    );
  };
}
