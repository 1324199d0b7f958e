import { type BotwrightError, escape, event, hasRole } from '@botwright/framework'
import { giveRole, isMember } from '../lib/server.ts'

const noAnswer = (error: BotwrightError) => {
  if (error.code !== 'ERR_NO_REPLY') throw error
}

export default event('member_join', {
  durable: true,
  run: async (ctx) => {
    const { user_id, username: name } = ctx.event
    const ask = (question: string) => ctx.ask(question, { in: 'dm', timeout: '1d' }).catch(noAnswer)

    // Day 1: the newcomer writes an introduction, and a moderator decides.
    let introduction = await ask(`Welcome, ${name}! Who are you, and what brings you here?`)
    if (!introduction && (await isMember(ctx, ctx.event)))
      introduction = await ask('You have not introduced yourself yet. Who are you, and what brings you here?')
    if (!(await isMember(ctx, ctx.event))) return
    if (!introduction) return ctx.dm(user_id, 'Come back when you have time: leave the server, and join it again.')
    const { approved, by, reason } = await ctx.approve({
      in: '#moderators',
      title: `${name} is new here: ${escape(introduction, { max: 1500 })}`,
      by: hasRole('moderator'),
      timeout: '3d',
    })
    if (!(await isMember(ctx, ctx.event))) return
    if (!approved) return ctx.dm(user_id, `${by.name} did not make you a member: ${reason}`)
    await giveRole(ctx, ctx.event, 'member')
    await ctx.dm(user_id, `${by.name} made you a member. Have a look around!`)

    // Day 2: a tip.
    await ctx.sleep('1d')
    if (!(await isMember(ctx, ctx.event))) return
    await ctx.dm(user_id, 'Tip: introduce yourself in #general. People there like to help.')

    // Day 3: a question.
    await ctx.sleep('1d')
    if (!(await isMember(ctx, ctx.event))) return
    const answer = await ask('How do you like it here?')
    if (answer) await ctx.dm(user_id, 'Thank you, and have fun!')
  },
})
