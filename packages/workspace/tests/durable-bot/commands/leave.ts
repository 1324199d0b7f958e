import { command, hasRole, integer, serverOnly } from '@botwright/framework'

export default command({
  description: 'Requests time off',
  durable: true,
  guards: [serverOnly()],
  run: async (ctx) => {
    const days = await ctx.ask('How many days?', { as: integer({ min: 1, max: 30 }), timeout: '1h' })
    const title = `${ctx.user.name} asks for ${days} days off.`
    const decision = await ctx.approve({ in: '#managers', title, by: hasRole('Manager'), timeout: '3d' })
    if (!decision.approved) return `${decision.by.name} declined: ${decision.reason}`
    const { number } = await ctx.step('book', () => ({ number: 7 }))
    await ctx.reply(`${decision.by.name} approved it, as number ${number}.`)
    await ctx.sleep('1d')
    return 'Have a good holiday!'
  },
})
