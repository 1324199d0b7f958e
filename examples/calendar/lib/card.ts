import { type AnyContext, embed, type Outgoing, row } from '@botwright/framework'
import type { Meeting, Place } from '../state/meetings.ts'

/** The parts of a context that commands and routes both have. */
export type Ctx = Pick<AnyContext, 'button' | 'clock' | 'language' | 'once' | 'schedule' | 'scheduled' | 'state' | 't'>
export type Card = Exclude<Outgoing, string>

export const mentions = (people: string[]): string =>
  people
    .slice(0, 25)
    .map((id) => `<@${id}>`)
    .join(' ') || '–'

/** The message of a meeting, in the language of its server, because everyone sees it. */
export async function card(ctx: Ctx, { server_id, start, id }: Place, meeting: Meeting): Promise<Card> {
  const { title, seats, people } = meeting
  const language = await ctx.language({ server_id })
  const [coming, waiting] = [people.slice(0, seats), people.slice(seats)]
  const fields = [{ name: ctx.t.in(language, 'card.coming', { taken: coming.length, seats }), value: mentions(coming) }]
  const name = ctx.t.in(language, 'card.waiting', { count: waiting.length })
  if (waiting.length > 0) fields.push({ name, value: mentions(waiting) })
  const button = (coming: boolean) =>
    ctx.button('rsvp', { start, id, coming }, { label: ctx.t.in(language, coming ? 'card.join' : 'card.leave') })
  return {
    embeds: [embed({ title, description: ctx.t.in(language, 'card.start', { start }), fields })],
    components: [row(button(true), button(false))],
  }
}
