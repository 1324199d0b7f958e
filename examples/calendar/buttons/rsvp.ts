import { boolean, button, date, escape, serverOnly, uuid } from '@botwright/framework'
import { card } from '../lib/card.ts'
import meetings, { keyOf } from '../state/meetings.ts'

export default button({
  params: { start: date(), id: uuid(), coming: boolean() },
  guards: [serverOnly()],
  run: async (ctx) => {
    const { start, id, coming } = ctx.params
    if (start.getTime() <= ctx.clock.now()) return ctx.ephemeral(await ctx.t('rsvp.over'))
    const place = { server_id: ctx.server_id, start, id }
    // A click that runs again after a crash gets the result of its first run.
    const { meeting, movedUp } = await ctx.once('answer', () =>
      meetings.at(ctx, keyOf(place)).updateWith((old) => {
        if (!old) throw new Error('this meeting is not stored')
        const others = old.people.filter((one) => one !== ctx.user.id)
        const people = coming ? [...new Set([...old.people, ctx.user.id])] : others
        // The last seat changes hands if a person with a seat leaves while others wait.
        const last = people[old.seats - 1]
        const movedUp = !coming && last !== old.people[old.seats - 1] ? (last ?? null) : null
        const meeting = { ...old, people }
        return { value: meeting, result: { meeting, movedUp } }
      }),
    )
    await ctx.update(await card(ctx, place, meeting))
    if (movedUp !== null) {
      const values = { person: `<@${movedUp}>`, title: escape(meeting.title), start }
      await ctx.send(ctx.channel_id, ctx.t.in(await ctx.language({ user_id: movedUp }), 'rsvp.moved_up', values))
    }
    if (!coming) return ctx.ephemeral(await ctx.t('rsvp.left'))
    const waiting = meeting.people.indexOf(ctx.user.id) - meeting.seats + 1
    return ctx.ephemeral(await (waiting > 0 ? ctx.t('rsvp.waiting', { place: waiting }) : ctx.t('rsvp.coming')))
  },
})
