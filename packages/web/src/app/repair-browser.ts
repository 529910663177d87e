/**
 * Browsers that block site data throw on any access to storage. In-memory storage takes its place, so
 * that the page works until it is closed.
 */
export function repairStorage(): void {
  for (const name of ["localStorage", "sessionStorage"] as const) {
    try {
      window[name].getItem("");
    } catch {
      Object.defineProperty(window, name, { value: memoryStorage() });
    }
  }
}

function memoryStorage(): Storage {
  const kept = new Map<string, string>();
  return {
    get length() {
      return kept.size;
    },
    key: (index) => [...kept.keys()][index] ?? null,
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
    clear: () => kept.clear(),
  };
}

/**
 * A browser started under the POSIX locale reports a language that `Intl` rejects (`en-US@posix`);
 * uPlot passes it to `Intl` while loading, and charts would not show.
 */
export function repairLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}
