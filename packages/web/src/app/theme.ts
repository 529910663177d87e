/** `system` follows the reader's system. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "agate-theme";

/** What this reader has chosen before. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? "system";
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  showTheme(theme);
}

/** Shows what was chosen, and what another tab chooses. */
export function followTheme(): void {
  showTheme(readTheme());
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY) showTheme(readTheme());
  });
}

function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
