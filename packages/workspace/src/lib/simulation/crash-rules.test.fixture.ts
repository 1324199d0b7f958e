// Rules for the simulated bot if its process ends, and nothing else fails: at the next start, it makes up for all of it.

import type { Rule, SimFacts } from '@botwright/testing/simulation'
import { byNumber, onlyCrashes, rowsOf, values } from './bot-facts.test.fixture.ts'

const isUnsure = (text: string) => text.includes('ERR_UNKNOWN_OUTCOME')

/** The rule for commands that answer each message. */
export const answeredAfterCrash = (commands: RegExp): Rule => ({
  name: 'after a crash, commands are answered',
  why: 'each event runs at least once, and an answer of unknown outcome is reported',
  *check(facts) {
    const { people, botId, record } = facts
    if (!onlyCrashes(facts)) return
    const answers = new Set(people.textsOf(botId).map(({ reply_to_id }) => reply_to_id))
    for (const { id, content, author_id } of people.messages.values()) {
      if (author_id === botId || !commands.test(content) || answers.has(id)) continue
      if (!record.lines.some(({ text }) => text.includes(id) && isUnsure(text))) yield `"${content}" has no answer`
    }
  },
})

export const crashRules: readonly Rule[] = [
  answeredAfterCrash(/^\/(ping|count|calm|staff|fail|vote)\b/),
  {
    name: 'after a crash, a broadcast reaches each channel or reports it',
    why: 'it continues until then',
    *check(facts) {
      if (!onlyCrashes(facts)) return
      const { people } = facts
      const jobs = broadcasts(facts)
      for (const [number, messages] of byNumber(facts, /^news (\d+)$/)) {
        const failed = jobs.find(({ message }) => message.content === `news ${number}`)?.failed.length ?? 0
        const reached = new Set(messages.map(({ channel_id }) => channel_id)).size
        if (reached + failed < people.channels.length)
          yield `news ${number} has reached ${reached} channels, and ${failed} are reported`
      }
    },
  },
  {
    name: 'after a crash, ctx.once has done its work or reports it',
    why: 'its author must know what may be missing',
    *check(facts) {
      if (!onlyCrashes(facts)) return
      const { record } = facts
      for (const [number] of byNumber(facts, /^counted (\d+)$/)) {
        const stored = values(facts, `count ${number}:`).filter(({ key }) => !key.startsWith('once:'))
        if (stored.length !== 1 && !record.lines.some(({ text }) => isUnsure(text)))
          yield `count ${number} was reported, but the stored values are ${JSON.stringify(stored)}`
      }
    },
  },
  {
    name: 'after a crash, an order whose size was chosen is confirmed',
    why: 'each step of a durable handler has its effect',
    *check(facts) {
      if (!onlyCrashes(facts)) return
      const { people, service } = facts
      const ids = Object.values(service.world.people).map(({ id }) => id)
      const confirmed = byNumber(facts, /^ordered (\d+):/)
      for (const [number, questions] of byNumber(facts, /^which size of \d+ for (\d+)\?/)) {
        const asked = people.messages.get(questions[0]!.reply_to_id ?? '')?.author_id
        const clicks = [...people.clicks.values()].filter(({ message_id }) => message_id === questions[0]!.id)
        const chosen = clicks.find(
          ({ person, answeredAtMs }) => answeredAtMs !== undefined && ids[person % ids.length] === asked,
        )
        if (chosen && !confirmed.has(number))
          yield `the size of order ${number} was chosen at ${Math.round(chosen.atMs)} ms, but it was not confirmed`
      }
    },
  },
]

function broadcasts(facts: SimFacts): { message: { content: string }; failed: object[] }[] {
  const rows = rowsOf(facts).filter(({ key }) => key.startsWith('broadcast:'))
  return rows.map(({ value }) => JSON.parse(value) as { message: { content: string }; failed: object[] })
}
