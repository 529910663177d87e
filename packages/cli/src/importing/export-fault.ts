/** Why a file cannot be imported. The message continues a sentence that begins with the file's name. */
export class ExportFault extends Error {
  override readonly name = "ExportFault";
}
