/**
 * Browsers that are told to keep nothing throw when a page as much as looks at its storage. What would
 * be kept is then kept until the page goes, instead of no page at all.
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
 * A browser that is started under the POSIX locale names a language that `Intl` refuses
 * (`en-US@posix`), and libraries ask `Intl` for it while they are loaded: charts would not show.
 */
export function repairLanguage(): void {
  try {
    Intl.getCanonicalLocales(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}
