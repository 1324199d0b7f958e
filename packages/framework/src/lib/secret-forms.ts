/** A very short text would hide half of every line; no service makes such a secret. */
export const SHORTEST_SECRET = 6

function inAddress(secret: string): string {
  try {
    return encodeURIComponent(secret)
  } catch {
    // Half a character stands in no address.
    return secret
  }
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/** How a secret may stand in a line: as it is, in an address, in JSON (and that in JSON again, as a log line is). */
export function formsOf(secret: string): string[] {
  const forms = [secret, inAddress(secret)]
  for (let depth = 0, form = inJson(secret); depth < 4 && form !== forms.at(-1); depth++, form = inJson(form))
    forms.push(form)
  return [...new Set(forms)]
}
