/** Asking for one takes as long as loading a file, and a bot's code may be loaded many times in a process. */
const known = new Set<string>()

export function isTimezone(name: string): boolean {
  if (known.has(name)) return true
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    known.add(name)
    return true
  } catch {
    return false
  }
}
