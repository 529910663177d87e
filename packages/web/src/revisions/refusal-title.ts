import { UnreachableError } from "../api/api-error.ts";

/**
 * What is said of a change that failed. A platform that went away in the middle of it may have done it.
 *
 * @param title What did not happen: "Not deleted".
 */
export function refusalTitle(title: string, error: Error): string {
  return error instanceof UnreachableError ? "Whether it was done is not known" : title;
}
