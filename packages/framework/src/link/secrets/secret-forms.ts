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

const BASE64 = ['base64', 'base64url'] as const

/**
 * What base64 makes of a text that holds the secret, as in `Authorization: Basic`: three spellings, by what stands before it. Characters
 * at the edges that its neighbours decide on as well are left out.
 */
function inBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.from(' '.repeat(before) + secret)
    const whole = Math.floor((bytes.length * 4) / 3)
    return BASE64.map((spelling) => bytes.toString(spelling).slice(Math.ceil((before * 4) / 3), whole))
  })
}

/** All that a secret of the bot itself may look like in a line: also in a header of base64, or in a text that was encoded. */
export const allFormsOf = (secret: string): string[] => [...new Set([...formsOf(secret), ...inBase64(secret)])]

/** The password of an address, as it may stand in a line; none where there is none. */
export function passwordsOf(url: string | undefined): string[] {
  const password = url !== undefined && URL.canParse(url) ? new URL(url).password : ''
  if (password === '') return []
  try {
    return [password, decodeURIComponent(password)]
  } catch {
    return [password]
  }
}

/** How a secret may stand in a line: as it is, in an address, in JSON (and that in JSON again, as a log line is). */
export function formsOf(secret: string): string[] {
  const forms = [secret, inAddress(secret)]
  for (let depth = 0, form = inJson(secret); depth < 4 && form !== forms.at(-1); depth++, form = inJson(form))
    forms.push(form)
  return [...new Set(forms)]
}
