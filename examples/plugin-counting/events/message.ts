import { event } from '@botwright/framework'
import counting from '../plugin.ts'

interface Count {
  last: number
  by: string
  record: number
}

export default event('message', async (ctx) => {
  const { channel, start, alone } = counting.options(ctx)
  if (ctx.event.channel_name !== channel || ctx.author.bot || !/^\d+$/.test(ctx.content)) return
  const said = Number(ctx.content)
  let right = false
  await ctx.state.channel.update('count', (kept) => {
    const { last, by, record } = (kept ?? { last: start - 1, by: '', record: 0 }) as Count
    right = said === last + 1 && (alone || by !== ctx.author.id)
    return right
      ? { last: said, by: ctx.author.id, record: Math.max(said, record) }
      : { last: start - 1, by: '', record }
  })
  await ctx.react(right ? '✅' : '❌')
  return right ? undefined : `${ctx.author.name} broke it. The next number is ${start}.`
})
