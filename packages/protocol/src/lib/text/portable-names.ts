/** Device names, which Windows reserves with any extension. `create-bot` refuses the same names. */
const reserved = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$|clock\$) *(?:\.|$)/i

/** Explains why Windows cannot have a file at this path, with `/` between the folders; undefined if it can. */
export function windowsProblem(path: string): string | undefined {
  for (const name of path.split('/')) {
    const [, device] = reserved.exec(name) ?? []
    if (device !== undefined) return `Windows reserves the name ${device} for a device; choose another`
    if (/[<>:"|?*\\]/.test(name)) return 'Windows does not allow < > : " | ? * \\ in names; remove them'
    if (/[. ]$/.test(name) && !/^\.{1,2}$/.test(name))
      return 'on Windows, no name ends with a dot or a space; remove it'
  }
  return undefined
}
