import { command } from '@botwright/framework'

const tasks = ['Set up your laptop', 'Meet your team', 'Ship something small']

export default command({
  description: 'Welcomes you, over three days',
  durable: true,
  run: async (ctx) => {
    const name = await ctx.ask('What do we call you?', { timeout: '1d' })
    for (const [i, task] of tasks.entries()) {
      try {
        const answer = await ctx.choose(`Day ${i + 1}, ${name}: ${task}.`, ['Done', 'Help'], { timeout: '20h' })
        if (answer === 'Help') await ctx.send(ctx.channel_id, `${name} needs help: ${task}`)
      } catch {
        await ctx.dm(ctx.user.id, `Do not forget: ${task}`)
      } finally {
        await ctx.step(`note ${i}`, () => task)
      }
      await ctx.sleep('1d')
    }
    return `Welcome, ${name}!`
  },
})
