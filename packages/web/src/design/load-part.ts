/** What browsers and the bundler say of a part of the page that did not arrive, rather than failed. */
const NOT_LOADED = /dynamically imported module|importing a module script|preload css/i;

/**
 * Loads a part of the page. One that does not arrive is waited for, with whatever stands in its place:
 * browsers do not ask for a module twice, so the page loads itself anew when the platform answers.
 */
export function loadPart<Module>(load: () => Promise<Module>): Promise<Module> {
  return load().catch((error: unknown) => {
    if (import.meta.env.PROD && isNotLoaded(error)) return new Promise<never>(() => {});
    throw error;
  });
}

export function isNotLoaded(error: unknown): boolean {
  return error instanceof Error && NOT_LOADED.test(error.message);
}
