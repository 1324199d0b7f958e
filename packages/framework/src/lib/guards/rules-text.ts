/**
 * What several guards say of themselves, as one phrase: words that all begin with are said once, so that "only in servers" and "only
 * for people with the role mods" become "only in servers, for people with the role mods".
 */
export function rulesText(rules: readonly string[], between: ', ' | ' or ' | ' and ' = ', '): string {
  const [first = '', ...others] = [...new Set(rules)]
  if (others.length === 0) return first
  const shared = sharedStart([first, ...others])
  const rest = others.map((rule) => rule.slice(shared.length))
  // What is itself joined is kept apart from its neighbours.
  const nested = between !== ', ' && [first, ...rest].some((rule) => / (?:or|and) |, /.test(rule))
  return [first, ...rest].join(nested ? `,${between}` : between)
}

/** The words that all begin with, but not an article: "the role A or the permission B". */
function sharedStart([first = '', ...others]: readonly string[]): string {
  const words = first.split(' ')
  let shared = ''
  // The last word stays: something must be left of each.
  for (const word of words.slice(0, -1)) {
    const longer = `${shared}${word} `
    if (!others.every((rule) => rule.startsWith(longer))) break
    shared = longer
  }
  return shared.replace(/(?:^|(?<= ))(?:the|a|an) $/, '')
}

/** What a guard turned round says: "not in servers". */
export const turnedText = (rule: string): string => `not ${rule.replace(/^only /, '')}`
