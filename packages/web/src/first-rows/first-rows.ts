// Runs before the first rows are shown, in the head of the document: the theme and the columns that this browser keeps.
import { repairStorage } from "../app/repair-browser.ts";
import { showKeptTheme } from "../app/theme.ts";
import { COLUMNS_KEY, parseColumnChoice } from "../traces/rows/trace-columns.ts";
import { columnStyles, FIRST_COLUMNS_ID } from "./column-styles.ts";
import "./first-rows.css";

repairStorage();
showKeptTheme();
const kept = localStorage.getItem(COLUMNS_KEY);
if (kept !== null) {
  document.getElementById(FIRST_COLUMNS_ID)?.remove();
  const styles = new CSSStyleSheet();
  styles.replaceSync(columnStyles(parseColumnChoice(kept)));
  document.adoptedStyleSheets.push(styles);
}
