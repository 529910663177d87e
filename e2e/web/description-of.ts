import type { Locator } from "playwright-core";

/** What is read out of a control after its name: why a button cannot be pressed, for one. */
export function descriptionOf(control: Locator): Promise<string> {
  return control.evaluate((element) => {
    const ids = element.getAttribute("aria-describedby")?.split(" ") ?? [];
    return ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
  });
}
