import { randomUUID } from 'node:crypto'
import { type AnyContext, escape } from '@botwright/framework'
import meetings, { keyOf, type Meeting } from '../state/meetings.ts'
import reminder from '../tasks/reminder.ts'
import { card, type Card, type Ctx } from './card.ts'

type New = { server_id: string; channel_id: string; title: string; start: Date; seats: number }
const HOUR_MS = 60 * 60 * 1000

/** Stores a meeting, schedules its reminder and returns its message, for a command or a route. */
export async function addMeeting(ctx: Ctx, { server_id, channel_id, title, start, seats }: New): Promise<Card> {
  const meeting = { title, seats, start: start.toISOString(), people: [] }
  const id = await ctx.once('add', async () => {
    const created = randomUUID()
    const key = keyOf({ server_id, start, id: created })
    await meetings.at(ctx, key).set(meeting)
    const at = new Date(start.getTime() - HOUR_MS)
    if (at.getTime() > ctx.clock.now()) await reminder.schedule(ctx, { at }, { key, channel_id })
    return created
  })
  return card(ctx, { server_id, start, id }, meeting)
}

/** The meetings of a server that have not begun, in order of time. */
export async function upcoming(ctx: Pick<AnyContext, 'clock' | 'state'>, server_id: string): Promise<Meeting[]> {
  const after = `${server_id}:${new Date(ctx.clock.now()).toISOString()}`
  return (await meetings.list(ctx, { prefix: `${server_id}:`, after, limit: 500 })).map(({ value }) => value)
}

/** A meeting in one line of a list. */
export function line(ctx: Pick<AnyContext, 't'>, language: string, { title, start, seats, people }: Meeting): string {
  const free = Math.max(0, seats - people.length)
  return ctx.t.in(language, 'list.line', { title: escape(title), start: new Date(start), free })
}
