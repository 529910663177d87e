/** The messages of browsers and of Vite for a module that could not be loaded (rather than threw). */
const NOT_LOADED = /dynamically imported module|importing a module script|preload css/i;

/**
 * Imports a module of the page. If it cannot be loaded the promise stays pending, with the placeholder
 * shown: browsers do not request a failed module again, so `reloadForLostParts` reloads the page once
 * the platform answers.
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
