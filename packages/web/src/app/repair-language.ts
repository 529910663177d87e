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
