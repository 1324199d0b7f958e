import type { Definition } from '@botwright/framework'
import { BotwrightError } from '@botwright/protocol/facts'
import { analyse, isUnbounded, type Question } from './analyse.ts'

/** The analysis of most patterns takes a tenth of it. A pattern that takes longer counts as unknown, and is accepted. */
const TIMEOUT_MS = 20_000

/**
 * The lowest refused degree. A text has 2,000 characters (§4): a quadratic pattern reads one in milliseconds, a cubic one blocks its
 * thread for seconds.
 */
const SLOW = 3

/** Stands for a group that contains a repetition, and for any other part of a pattern. */
const [REPEATING, OTHER] = ['\u0001', '\u0002']

/** Whether a pattern counts repetitions of repetitions, such as `(\w{1,9} ?){1,9}`, whose times multiply. */
function repeatsCounted(source: string): boolean {
  let rest = source.replaceAll(/\\./g, OTHER).replaceAll(/\[[^[\]]*\]/g, OTHER)
  rest = rest.replaceAll(/\(\?(?:[:=!]|<[=!]|<\w+>)/g, '(')
  // The innermost groups first.
  for (let before = ''; before !== rest;) {
    before = rest
    rest = rest.replaceAll(/\(([^()]*)\)/g, (_, body: string) => (/[?*+{\u0001]/.test(body) ? REPEATING : OTHER))
    if (rest.includes(`${REPEATING}{`)) return true
  }
  return false
}

/** Whether a text could make it slow: all other patterns take little time. */
const mayBeSlow = ({ source }: Question): boolean => isUnbounded({ source }) || repeatsCounted(source)

/** The problems of patterns in this process that were analyzed. */
const known = new Map<string, string | undefined>()

/** The problems of the patterns of events that a person's text could make slow: `events/message/bug.ts: match …`. */
export async function patternProblems(definitions: readonly Definition[]): Promise<string[]> {
  const matching = definitions.flatMap(({ file, match }) => (match === undefined ? [] : [{ file, match }]))
  const unknown = [...new Set(matching.map(({ match }) => match))].filter((match) => !known.has(match))
  const asked = unknown.filter((match) => mayBeSlow(questionOf(match)))
  const verdicts = await analyse(asked.map(questionOf), TIMEOUT_MS)
  for (const match of unknown) {
    const verdict = verdicts[asked.indexOf(match)]
    // Counts limit the time of a polynomial.
    const refused = isUnbounded(questionOf(match)) ? SLOW : Infinity
    known.set(match, verdict?.degree !== undefined && verdict.degree >= refused ? verdict.text : undefined)
  }
  return matching.flatMap(({ file, match }) => {
    const slow = known.get(match)
    return slow === undefined ? [] : [`${file}: match ${match} can block the bot (${slow}); repeat less in it`]
  })
}

/** Throws `ERR_DEFINITION` if a person's text could make a pattern of an event slow. */
export async function checkPatterns(definitions: readonly Definition[]): Promise<void> {
  const problems = await patternProblems(definitions)
  if (problems.length > 0) throw new BotwrightError('ERR_DEFINITION', problems.join('\n'))
}

/** The pattern in `/source/flags`. */
function questionOf(match: string): Question {
  const end = match.lastIndexOf('/')
  return { source: match.slice(1, end), flags: match.slice(end + 1) }
}
