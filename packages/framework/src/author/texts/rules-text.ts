/**
 * The rules of several guards as one phrase. A common beginning appears once: "only in servers" and "only for people
 * with the role mods" become "only in servers, for people with the role mods".
 */
export function rulesText(rules: readonly string[], between = ', '): string {
  const [first = '', ...others] = [...new Set(rules)]
  if (others.length === 0) return first
  const shared = sharedStart([first, ...others])
  const rest = others.map((rule) => rule.slice(shared.length))
  // A comma separates a rule that is itself joined from its neighbors.
  const isNested = between !== ', ' && [first, ...rest].some((rule) => / (?:or|and|oder|und) |, /.test(rule))
  return [first, ...rest].join(isNested ? `,${between}` : between)
}

/** The words that all rules begin with, without an article at the end: "the role A or the permission B". */
function sharedStart([first = '', ...others]: readonly string[]): string {
  const words = first.split(' ')
  let shared = ''
  // Never the last word: something must be left of each rule.
  for (const word of words.slice(0, -1)) {
    const longer = `${shared}${word} `
    if (!others.every((rule) => rule.startsWith(longer))) break
    shared = longer
  }
  return shared.replace(/(?:^|(?<= ))(?:the|an?|de[mnr]|die|das|eine?) $/, '')
}
