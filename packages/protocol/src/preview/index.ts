export { cutText } from "./cut-text.ts";
export { PREVIEW_CHARACTERS, previewText } from "./preview-text.ts";
