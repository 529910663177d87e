/** The keys that run, as the reader's keyboard has them. */
export const RUN_KEYS = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";
