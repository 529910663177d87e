/** `system` follows the operating system. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const KEY = "agate-theme";

/** The stored choice. */
export function readTheme(): Theme {
  const kept = localStorage.getItem(KEY);
  return THEMES.find((theme) => theme === kept) ?? "system";
}

export function keepTheme(theme: Theme): void {
  localStorage.setItem(KEY, theme);
  showTheme(theme);
}

/** Applies the stored theme, and every choice made in another tab. */
export function followTheme(): void {
  showKeptTheme();
  window.addEventListener("storage", ({ key }) => {
    if (key === KEY) showKeptTheme();
  });
}

export function showKeptTheme(): void {
  showTheme(readTheme());
}

function showTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
