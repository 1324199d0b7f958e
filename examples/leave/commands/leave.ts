import { command, hasRole, integer, serverOnly } from '@botwright/framework'

export default command({
  description: 'Requests time off',
  durable: true,
  guards: [serverOnly()],
  run: async (ctx) => {
    const days = await ctx.ask('How many days?', { as: integer({ min: 1, max: 30 }), timeout: '1h' })
    const decision = await ctx.approve({
      in: '#managers',
      title: `${ctx.user.name} asks for ${days} days off.`,
      by: hasRole('Manager'),
      timeout: '3d',
    })
    if (!decision.approved) return `${decision.by.name} declined your ${days} days off: ${decision.reason}`
    const booking = await ctx.step('book', () => ({ days, number: 1 }))
    await ctx.reply(`${decision.by.name} approved your ${booking.days} days off.`)
    await ctx.sleep('1d')
    return 'Have a good holiday!'
  },
})
