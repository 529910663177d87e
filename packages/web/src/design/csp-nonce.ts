/** What the platform's policy asks of style elements that are made by scripts, as the editor's are. */
export function cspNonce(): string {
  return document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
}
