/** Stands for something that the bot has written: what it is, is known only when the act happens. */
export const answerMark = (pick: number): string => `{answer ${pick}}`

const mark = /\{answer (\d+)\}/g
/** Things that a reader would type again: quoted or marked texts, and numbers. */
const things = /"([^"\n]{1,40})"|`([^`\n]{1,40})`|\*\*([^*\n]{1,40})\*\*|\b(\d{1,5})\b/g
const word = /[\p{L}][\p{L}\p{N}_-]{2,}/gu
/** Each error has a number of its own. */
const reference = /\(ref \w+\)/g
const NONE = 'it'

/** Replaces the marks in a text with things in the answers of the bot, or with their words if there are none. */
export function withAnswers(text: string, answers: readonly string[]): string {
  return text.replace(mark, (_, pick: string) => {
    const all = answers.map((answer) => answer.replace(reference, ''))
    const named = all.flatMap((answer) =>
      [...answer.matchAll(things)].map((found) => found.slice(1).find(Boolean) ?? ''),
    )
    const found =
      Number(pick) % 3 === 0 || named.length === 0 ? all.flatMap((answer) => answer.match(word) ?? []) : named
    return (found.length === 0 ? NONE : found[Number(pick) % found.length]!).replaceAll('"', '')
  })
}
