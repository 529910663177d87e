/**
 * The colours of tokens as a canvas takes them. `light-dark()` is only settled in a property that is
 * a colour, so they are read from one.
 */
export function readColours(host: HTMLElement, tokens: readonly string[]): Map<string, string> {
  const probe = host.ownerDocument.createElement("span");
  host.append(probe);
  const colours = tokens.map((token) => {
    probe.style.color = `var(${token})`;
    return [token, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return new Map(colours);
}
